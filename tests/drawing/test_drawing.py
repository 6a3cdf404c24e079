"""Pictures of boards for users' own games: pieces, labels, cell names, errors."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from graven import drawing
from graven.core.errors import UsageError
from graven.games.registry import families
from graven.sources.python_class import from_class

SVG = "{http://www.w3.org/2000/svg}"


def shapes(svg, tag):
    return list(ElementTree.fromstring(svg).iter(SVG + tag))


def cells(svg):
    """The centre of each named cell."""
    centres = {}
    for element in ElementTree.fromstring(svg).iter():
        if name := element.get("data-cell"):
            if element.tag == f"{SVG}polygon":
                points = [tuple(map(float, p.split(","))) for p in element.get("points").split()]
                centre = [sum(axis) / len(points) for axis in zip(*points, strict=True)]
            else:
                centre = [
                    float(element.get(at)) + float(element.get(size)) / 2
                    for at, size in (("x", "width"), ("y", "height"))
                ]
            centres[name] = tuple(round(value) for value in centre)
    return centres


def test_a_grid_has_a_piece_where_its_cell_is():
    owners = [-1, 0, -1, -1, -1, 1]
    svg = drawing.grid(owners, columns=3, colours=("red", "#0a7"), title="a <test>")
    circles = shapes(svg, "circle")
    at = {circle.get("fill"): (int(circle.get("cx")), int(circle.get("cy"))) for circle in circles}
    assert at == {drawing.COLOURS["red"].fill: cells(svg)["b1"], "#0a7": cells(svg)["c2"]}
    assert set(cells(svg)) == {"a1", "b1", "c1", "a2", "b2", "c2"}
    # The first row is at the bottom.
    assert cells(svg)["a1"][1] > cells(svg)["a2"][1]
    assert shapes(svg, "title")[0].text == "a <test>, 2 rows by 3 columns"
    from_top = drawing.grid(owners, columns=3, from_top=True)
    assert cells(from_top)["a1"][1] < cells(from_top)["a2"][1]


def test_a_grid_has_labels_texts_and_holes():
    svg = drawing.grid(
        [drawing.Piece("black", "K"), None, None, drawing.Piece("white")],
        columns=2,
        row_labels=["one", "two"],
        column_labels=["x", "y"],
        names=["p", "", "r", "s"],
    )
    assert set(cells(svg)) == {"p", "r", "s"}
    assert {text.text for text in shapes(svg, "text")} == {"K", "one", "two", "x", "y"}


def test_hexes_have_stones_in_their_cells():
    svg = drawing.hexes(
        [[0, -1], [-1, 1]], names=[["a1", "b1"], ["a2", "b2"]], colours=("white", "black")
    )
    stones = {c.get("fill"): (round(float(c.get("cx"))), round(float(c.get("cy"))))
              for c in shapes(svg, "circle")}  # fmt: skip
    assert stones == {
        "url(#graven-stone-white)": cells(svg)["a1"],
        "url(#graven-stone-black)": cells(svg)["b2"],
    }
    assert all(len(shape.get("points").split()) == 6 for shape in shapes(svg, "polygon"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: drawing.grid([0, 1, 0], columns=2), "3 cells do not make rows of 2"),
        (lambda: drawing.grid([5], columns=1), "no colour for player 5"),
        (lambda: drawing.grid([0], columns=1, board="sand"), "plain, chequered, green"),
        (lambda: drawing.grid([0], columns=1, names=[]), "names must have 1 entries"),
        (lambda: drawing.hexes([[0]], names=[["a", "b"]]), "as many entries"),
        (lambda: drawing.hexes([], names=[]), "at least one row"),
    ],
)
def test_mistakes_are_explained(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_players_have_the_colours_of_their_names():
    assert [drawing.player_colour(("White", "Black"), player) for player in (0, 1)] == [
        "white",
        "black",
    ]
    # A seat without a colour name takes one that no other player is named after.
    assert drawing.player_colour(("x", "White", "o"), 0) == "black"
    assert drawing.player_colour(("x", "White", "o"), 2) == "red"


@pytest.mark.parametrize("name", ["havannah", "hex", "othello", "go", "nogo", "atarigo"])
def test_the_first_stone_has_the_colour_of_its_player(name):
    (family,) = (family for family in families() if family.name == name)
    game = family.make(size=5 if name != "othello" else 6)
    start = game.start()
    played = start.play(start.legal_moves[0])

    def stones(position):
        fills = [circle.get("fill") or "" for circle in shapes(position.svg(), "circle")]
        return [fill for fill in fills if "stone" in fill]

    colour = game.player_names[0].lower()
    assert stones(played).count(f"url(#graven-stone-{colour})") > stones(start).count(
        f"url(#graven-stone-{colour})"
    )


class Row:
    """Two players take turns to mark one of three cells; the one who marks the last wins."""

    players = 2

    def __init__(self):
        self.owners = [-1, -1, -1]

    def moves(self):
        return [f"{letter}1" for letter, owner in zip("abc", self.owners, strict=True) if owner < 0]

    def play(self, move):
        self.owners["abc".index(move[0])] = (3 - self.owners.count(-1)) % 2

    def over(self):
        return -1 not in self.owners

    def scores(self):
        return [1.0, 0.0]

    def svg(self):
        return drawing.grid(self.owners, columns=3)


def test_a_class_may_draw_its_board():
    position = from_class(Row).start().play("b1")
    assert set(cells(position.svg())) == {"a1", "b1", "c1"}
    (piece,) = shapes(position.svg(), "circle")
    assert (int(piece.get("cx")), int(piece.get("cy"))) == cells(position.svg())["b1"]
