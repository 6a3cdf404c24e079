from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from graven.core.errors import UsageError
from graven.games.boards import (
    POINT_LETTERS,
    VACANT,
    Pieces,
    SizeRange,
    SquareBoard,
    as_text,
    cell_name,
)
from graven.games.svg_boards import as_svg

SVG = "{http://www.w3.org/2000/svg}"
SIZES = SizeRange(rows=(4, 26), columns=(2, 26))


@pytest.mark.parametrize(
    ("size", "expected"),
    [(8, (8, 8)), ("8", (8, 8)), ("6x5", (6, 5)), (" 6X5 ", (6, 5)), ("6×5", (6, 5))],
)
def test_sizes_are_a_number_or_rows_by_columns(size: int | str, expected: tuple[int, int]) -> None:
    assert SIZES.parse(size) == expected


@pytest.mark.parametrize("size", [3, 27, "6x1", "x5", "6x", "six", "", "8.0", -8, "6x5x4"])
def test_an_invalid_size_raises_with_the_range(size: int | str) -> None:
    with pytest.raises(UsageError) as caught:
        SIZES.parse(size)
    message = str(caught.value)
    assert "4 to 26 rows and 2 to 26 columns" in message
    assert message.endswith(f"got {size}.")


def test_cells_are_named_by_column_and_row() -> None:
    assert [cell_name(cell, 3) for cell in (0, 2, 3)] == ["a1", "c1", "a2"]
    assert cell_name(8, 9, POINT_LETTERS) == "J1", "Go has no column I"


def test_text_shows_pieces_between_coordinates() -> None:
    board = SquareBoard("test", 2, 3, [0, VACANT, VACANT, VACANT, VACANT, 1], "pawns")
    assert as_text(board) == "2 . . B\n1 W . .\n  a b c"


def test_rows_with_two_digits_stay_aligned() -> None:
    lines = as_text(SquareBoard("test", 10, 2, [VACANT] * 20, "stones")).splitlines()
    assert lines[0] == "10 . ."
    assert lines[1] == " 9 . ."
    assert lines[-1] == "   A B"


def test_dominoes_of_one_player_in_a_row_stay_apart() -> None:
    column = SquareBoard("test", 4, 1, [0, 0, 0, 0], "dominoes")
    assert column.dominoes() == [(0, 0, 1), (0, 2, 3)]
    row = SquareBoard("test", 1, 4, [1, 1, 1, 1], "dominoes")
    assert row.dominoes() == [(1, 0, 1), (1, 2, 3)]
    assert as_text(row).splitlines()[0] == "1 < > < >"


@pytest.mark.parametrize(
    ("side", "stars"),
    [
        (5, 0),
        (8, 4),
        (9, 5),
        (13, 5),
        (19, 9),
    ],
)
def test_go_boards_mark_the_usual_points(side: int, stars: int) -> None:
    assert len(SquareBoard("test", side, side, [VACANT] * side**2, "stones").star_points()) == stars


@pytest.mark.parametrize("pieces", ["pawns", "knights", "stones", "dominoes"])
def test_colours_do_not_change_the_layout(pieces: Pieces) -> None:
    board = SquareBoard("test", 4, 4, [0, 1, 1, VACANT, 0, *[VACANT] * 11], pieces)
    plain, coloured = as_text(board).splitlines(), as_text(board, colour=True).splitlines()
    assert "\x1b[" not in "".join(plain)
    bare = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in coloured]
    assert [len(line) for line in bare] == [len(line) for line in plain]
    assert bare[-1] == plain[-1]
    assert all(line.endswith("\x1b[0m") for line in coloured[:-1]), "colours end with the line"


@pytest.mark.parametrize(
    ("pieces", "tag", "marks"),
    [
        ("pawns", "ellipse", 3),
        ("knights", "ellipse", 3),
        ("stones", "circle", 2 * 3),
        ("dominoes", "circle", 2 * 2),
    ],
)
def test_pictures_contain_every_piece_and_coordinate(pieces: Pieces, tag: str, marks: int) -> None:
    owners = [0, 1, 1, VACANT, 0, *[VACANT] * 7]
    if pieces != "dominoes":
        owners[4] = VACANT
    root = ElementTree.fromstring(as_svg(SquareBoard("a <test>", 3, 4, owners, pieces)))
    assert root.tag == f"{SVG}svg"
    assert root.attrib["viewBox"].startswith("0 0 ")
    assert root.findtext(f"{SVG}title") == "a <test>, 3 rows by 4 columns"
    drawn = [shape for shape in root.iter(f"{SVG}{tag}") if not shape.get("data-cell")]
    assert len(drawn) == marks
    letters = "ABCD" if pieces == "stones" else "abcd"
    assert [text.text for text in root.iter(f"{SVG}text")] == ["1", "2", "3", *letters]
