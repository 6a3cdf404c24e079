"""Positions as text."""

from __future__ import annotations

from xml.etree import ElementTree

from graven.drawing import COLOURS
from graven.gdl.fact_board import FactBoard, Seats, placed

SVG = "{http://www.w3.org/2000/svg}"

CELLS = [
    f"( at {x} {y} {who} pawn )" for x in ("a", "b") for y in (1, 2, 10) for who in ("red", "rose")
]


def test_facts_with_two_places_are_taken_apart():
    assert placed("( cell 1 2 b )") == (("cell", 6), ("1", "2", "b"))
    assert placed("( cell 1 ( f 2 ) b )") is None
    assert placed("( control white )") is None
    assert placed("terminal") is None


def test_a_board_has_its_last_row_on_top_and_numbers_in_order():
    text = FactBoard([*CELLS, "( control red )"]).text(
        ["( step 2 )", "( at a 1 red pawn )", "( at b 10 rose pawn )", "( control red )"]
    )
    assert text.splitlines() == [
        "10 .   rop",
        " 2 .   .",
        " 1 rep .",
        "   a   b",
        "( control red )",
        "( step 2 )",
    ]


def test_what_is_no_board_is_a_list_of_facts():
    board = FactBoard(
        ["( link 1 2 x )", "( link 7 9 x )", "( link 4 4 x )", "( link 5 6 x )", "done"]
    )
    assert board.text(["( link 7 9 x )", "done"]) == "( link 7 9 x )\ndone"
    assert board.text([]) == "(no facts)"


def test_empty_cells_are_points_and_several_pieces_share_one():
    facts = [f"( cell {x} {y} {p} )" for x in "12" for y in "12" for p in ("blank", "x", "o")]
    text = FactBoard(facts).text(["( cell 1 1 blank )", "( cell 2 2 x )", "( cell 2 2 o )"])
    assert text.splitlines()[:2] == ["2 .   x/o", "1 .   ."]


def picture(board, facts):
    """The colour and the text of the piece on each cell of a picture, by the cell's name."""
    root = ElementTree.fromstring(board.svg(facts))
    centres = {
        (int(cell.get("x")) + 24, int(cell.get("y")) + 24): cell.get("data-cell")
        for cell in root.iter(f"{SVG}rect")
        if cell.get("data-cell")
    }
    texts = {int(text.get("x")): text.text for text in root.iter(f"{SVG}text")}
    colours = {colour.fill: name for name, colour in COLOURS.items()}
    return centres, {
        centres[int(disc.get("cx")), int(disc.get("cy"))]: colours[disc.get("fill")]
        for disc in root.iter(f"{SVG}circle")
    }, texts  # fmt: skip


def test_letters_and_r1_name_columns_and_rows_in_either_order():
    for first, second in (("12", "ab"), (("r1", "r2"), ("c1", "c2"))):
        facts = [f"( cell {x} {y} {p} )" for x in first for y in second for p in "xo"]
        text = FactBoard(facts).text([f"( cell {first[0]} {second[1]} x )"])
        assert text.splitlines()[-1].split() == list(second)
        assert text.splitlines()[1].split() == [first[0], ".", "x"]


def test_relations_whose_arguments_are_no_coordinates_are_facts():
    facts = [
        f"( piece {who} {kind} {at} )"
        for who in ("light", "dark")
        for kind in "1234"
        for at in "ab"
    ]
    board = FactBoard(facts)
    assert not board.is_grid
    assert board.text(["( piece light 2 a )", "( done )", "( piece dark 1 a )"]).splitlines() == [
        "( done )",
        "( piece dark 1 a )",
        "( piece light 2 a )",
    ]


def test_half_of_the_squares_make_a_board_as_in_checkers():
    squares = [(x, y) for i, x in enumerate("abcd") for y in range(1, 5) if (i + y) % 2]
    facts = [f"( cell {x} {y} {p} )" for x, y in squares for p in ("wp", "wk", "bp", "bk")]
    moves = [{"move", "wp", "wk"}, {"move", "bp", "bk"}]
    board = FactBoard(facts, Seats(("red", "black"), moves))
    assert board.is_grid
    centres, pieces, _ = picture(board, ["( cell a 1 wp )", "( cell b 2 bk )"])
    assert set(centres.values()) == {f"{x} {y}" for x, y in squares}
    # The role that moves a piece owns it.
    assert pieces == {"a 1": "red", "b 2": "black"}


def test_a_third_coordinate_makes_layers():
    facts = [f"( cell {x} {y} {z} {p} )" for x in "12" for y in "12" for z in "12" for p in "xo"]
    board = FactBoard(facts, Seats(("xplayer", "oplayer")))
    assert board.text(["( cell 1 2 2 x )"]).splitlines()[0] == "2 . .   x ."
    centres, pieces, _ = picture(board, ["( cell 1 2 2 x )"])
    assert len(centres) == 8
    assert list(pieces) == ["1 2 2"]
