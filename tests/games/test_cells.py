"""SVG pictures name their cells as move texts do, so that a page can map clicks to moves."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from graven.games.registry import make_game

SVG = "{http://www.w3.org/2000/svg}"
BOARDS = {
    "breakthrough(size=6x5)": 30,
    "knightthrough(size=5)": 25,
    "domineering(size=4x6)": 24,
    "nogo(size=5x4)": 20,
    "go(size=9)": 81,
    "othello(size=6)": 36,
    "hex(size=4x5)": 20,
    "havannah(size=4)": 37,
}


def cells(svg: str) -> list[str]:
    return [
        element.get("data-cell")
        for element in ElementTree.fromstring(svg).iter()
        if element.get("data-cell")
    ]


@pytest.mark.parametrize("spec", BOARDS)
def test_every_cell_occurs_once_and_moves_consist_of_cells(spec: str) -> None:
    position = make_game(spec).start()
    names = cells(position.svg())
    assert len(names) == len(set(names)) == BOARDS[spec]
    for move in position.legal_moves:
        assert move == "pass" or set(re.findall(r"[A-Za-z]+\d+", move)) <= set(names)
        assert move == "pass" or "".join(re.findall(r"[A-Za-z]+\d+", move)) == move


def test_the_cell_of_a_stone_is_where_the_stone_is_drawn() -> None:
    for spec, move in (("go(size=5)", "B4"), ("hex(size=5)", "b4"), ("othello(size=6)", None)):
        start = make_game(spec).start()
        move = move or start.legal_moves[0]
        root = ElementTree.fromstring(start.play(move).svg())
        (cell,) = (element for element in root.iter() if element.get("data-cell") == move)
        if cell.tag == f"{SVG}polygon":
            points = [tuple(map(float, point.split(","))) for point in cell.get("points").split()]
            centre = tuple(round(sum(axis) / 6, 1) for axis in zip(*points, strict=True))
        elif cell.tag == f"{SVG}circle":
            centre = float(cell.get("cx")), float(cell.get("cy"))
        else:
            centre = tuple(
                float(cell.get(k)) + float(cell.get(s)) / 2
                for k, s in (("x", "width"), ("y", "height"))
            )
        stones = [
            (float(element.get("cx")), float(element.get("cy")))
            for element in root.iter(f"{SVG}circle")
            if "stone" in (element.get("fill") or "")
        ]
        assert centre in stones


def test_every_block_of_a_group_has_the_cell_of_its_move() -> None:
    position = make_game("samegame(board=112/122/331)").start()
    names = cells(position.svg())
    assert len(names) == 9
    moves = {move.split(":")[0] for move in position.legal_moves}
    # Groups of 1 (three blocks), of 2 (three) and of 3 (two); the last 1 is alone.
    assert sorted(names.count(move) for move in moves) == [2, 3, 3]


def test_cities_and_points_have_cells() -> None:
    tour = make_game("tsptw(cities=5)").start()
    assert set(tour.legal_moves) <= set(cells(tour.svg()))
    lines = make_game("morpion(variant=4D)").start()
    assert {move.split(":")[0] for move in lines.legal_moves} <= set(cells(lines.svg()))
