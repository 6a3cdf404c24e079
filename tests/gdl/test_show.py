"""Positions as text."""

from __future__ import annotations

from graven.gdl.fact_board import FactBoard, placed

CELLS = [
    f"( at {x} {y} {who} pawn )" for x in (1, 2, 10) for y in ("a", "b") for who in ("red", "rose")
]


def test_facts_with_two_places_are_taken_apart():
    assert placed("( cell 1 2 b )") == (("cell", 6), "1", "2", ("b",))
    assert placed("( cell 1 ( f 2 ) b )") is None
    assert placed("( control white )") is None
    assert placed("terminal") is None


def test_a_board_has_its_last_row_on_top_and_numbers_in_order():
    text = FactBoard([*CELLS, "( control red )"]).text(
        ["( at 1 a red pawn )", "( at 10 b rose pawn )", "( control red )"]
    )
    assert text.splitlines() == [
        "b .   .   rop",
        "a rep .   .",
        "  1   2   10",
        "( control red )",
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
