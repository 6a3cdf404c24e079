"""Puzzles as sheets of our own, with best results that are known without any search of ours."""

from __future__ import annotations

STEPS = "(<= (next (step ?t)) (true (step ?s)) (after ?s ?t))\n(init (step 0))\n"


def _counter(last: int) -> str:
    return STEPS + "".join(f"(after {step} {step + 1})\n" for step in range(last))


def eight_puzzle(board: str, steps: int, exactly: int | None = None) -> str:
    """The sliding puzzle: `board` is nine digits row by row, 0 the gap; 100 for 123456780.

    If it is to be solved `exactly` in so many moves, other numbers of moves are worth 99.
    """
    in_time = "" if exactly is None else f"(true (step {exactly}))"
    late = "" if exactly is None else f"(<= (goal me 99) solved (not (true (step {exactly}))))"
    cells = [(x, y) for y in range(1, 4) for x in range(1, 4)]
    start = "".join(
        f"(init (cell {x} {y} {digit}))\n" for (x, y), digit in zip(cells, board, strict=True)
    )
    goal = " ".join(
        f"(true (cell {x} {y} {digit}))" for (x, y), digit in zip(cells, "123456780", strict=True)
    )
    near = "".join(
        f"(near {x} {y} {u} {v})\n"
        for x, y in cells
        for u, v in cells
        if abs(x - u) + abs(y - v) == 1
    )
    return f"""
(role me)
{start}{near}{_counter(steps)}
(<= (legal me (slide ?x ?y)) (true (cell ?u ?v 0)) (near ?x ?y ?u ?v))
(<= (next (cell ?x ?y 0)) (does me (slide ?x ?y)))
(<= (next (cell ?u ?v ?d)) (does me (slide ?x ?y)) (true (cell ?x ?y ?d)) (true (cell ?u ?v 0)))
(<= (next (cell ?u ?v ?d)) (true (cell ?u ?v ?d)) (distinct ?d 0)
    (does me (slide ?x ?y)) (or (distinct ?u ?x) (distinct ?v ?y)))
(<= solved {goal})
(<= terminal solved)
(<= terminal (true (step {steps})))
(<= (goal me 100) solved {in_time})
{late}
(<= (goal me 0) (not solved))
"""


def maze(rows: list[str], steps: int) -> str:
    """Walk from s to e through the cells that are no #; 100 for arriving within the steps."""
    cells = {
        (x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row) if mark != "#"
    }
    near = "".join(
        f"(near c{x}-{y} c{x + dx}-{y + dy})\n"
        for x, y in cells
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
        if (x + dx, y + dy) in cells
    )
    at = {mark: f"c{x}-{y}" for (x, y), mark in cells.items()}
    return f"""
(role me) (init (at {at["s"]}))
{near}{_counter(steps)}
(<= (legal me (go ?d)) (true (at ?c)) (near ?c ?d))
(<= (next (at ?d)) (does me (go ?d)))
(<= terminal (true (at {at["e"]})))
(<= terminal (true (step {steps})))
(<= (goal me 100) (true (at {at["e"]})))
(<= (goal me 0) (not (true (at {at["e"]}))))
"""


def peg_solitaire() -> str:
    """Peg solitaire on the English board; 100 for one peg in the centre."""
    holes = [(x, y) for y in range(1, 8) for x in range(1, 8) if 3 <= x <= 5 or 3 <= y <= 5]
    lines = "".join(
        f"(line {x} {y} {x + dx} {y + dy} {x + 2 * dx} {y + 2 * dy})\n"
        for x, y in holes
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
        if (x + 2 * dx, y + 2 * dy) in holes
    )
    pegs = "".join(f"(init (peg {x} {y}))\n" for x, y in holes if (x, y) != (4, 4))
    return f"""
(role me)
{lines}{pegs}
(<= (free ?a ?b ?c ?d ?e ?f) (line ?a ?b ?c ?d ?e ?f)
    (true (peg ?a ?b)) (true (peg ?c ?d)) (not (true (peg ?e ?f))))
(<= (legal me (jump ?a ?b ?e ?f)) (free ?a ?b ?c ?d ?e ?f))
(<= (next (peg ?e ?f)) (does me (jump ?a ?b ?e ?f)))
(<= (next (peg ?x ?y)) (true (peg ?x ?y)) (does me (jump ?a ?b ?e ?f)) (line ?a ?b ?c ?d ?e ?f)
    (or (distinct ?x ?a) (distinct ?y ?b)) (or (distinct ?x ?c) (distinct ?y ?d)))
(<= movable (free ?a ?b ?c ?d ?e ?f))
(<= other (true (peg ?x ?y)) (or (distinct ?x 4) (distinct ?y 4)))
(<= terminal (not movable))
(<= (goal me 100) (true (peg 4 4)) (not other))
(<= (goal me 0) (not (true (peg 4 4))))
(<= (goal me 0) other)
"""


def late_prize(steps: int) -> str:
    """Wait or take: the prize is worth more the later it is taken, and waiting too long is worth 0.

    A search that assumes that arriving early is never worse does not find the best game.
    """
    worth = "".join(f"(worth {step} {100 * step // steps})\n" for step in range(steps + 1))
    return f"""
(role me) {worth}{_counter(steps)}
(legal me wait) (legal me take)
(<= (next taken) (does me take))
(<= terminal (true taken))
(<= terminal (true (step {steps})))
(<= (goal me ?w) (true taken) (true (step ?s)) (worth ?s ?w))
(<= (goal me 0) (not (true taken)))
"""


def sudoku(rows: list[str]) -> str:
    """Fill a 4x4 board, 0 for empty cells: any number goes anywhere; 100 if each is once in a unit.

    Nothing says before the end whether a number was right.
    """
    cells = [(x, y) for y in range(1, 5) for x in range(1, 5)]
    given = "".join(
        f"(init (at {x} {y} {rows[y - 1][x - 1]}))\n" for x, y in cells if rows[y - 1][x - 1] != "0"
    )
    units = "".join(
        f"(in {x} {y} column{x}) (in {x} {y} row{y}) (in {x} {y} box{(x - 1) // 2}{(y - 1) // 2})\n"
        for x, y in cells
    )
    return f"""
(role me) {given}{units}
(number 1) (number 2) (number 3) (number 4)
(<= (unit ?u) (in ?x ?y ?u))
(<= (filled ?x ?y) (true (at ?x ?y ?n)))
(<= (legal me (write ?x ?y ?n)) (number ?x) (number ?y) (number ?n) (not (filled ?x ?y)))
(<= (next (at ?x ?y ?n)) (does me (write ?x ?y ?n)))
(<= (next (at ?x ?y ?n)) (true (at ?x ?y ?n)))
(<= open (number ?x) (number ?y) (not (filled ?x ?y)))
(<= terminal (not open))
(<= (has ?u ?n) (in ?x ?y ?u) (true (at ?x ?y ?n)))
(<= wrong (unit ?u) (number ?n) (not (has ?u ?n)))
(<= (goal me 100) (not wrong))
(<= (goal me 0) wrong)
"""


def colouring(edges: str, colours: int) -> str:
    """Colour the corners of a graph, `ab bc ...`, one after another or not; 100 if all differ."""
    pairs = edges.split()
    corners = sorted(set("".join(pairs)))
    lines = " ".join(f"(edge {a} {b})" for a, b in pairs)
    return f"""
(role me) {lines} {" ".join(f"(init (bare {corner}))" for corner in corners)}
{" ".join(f"(colour {i})" for i in range(colours))}
(<= (legal me (paint ?x ?c)) (true (bare ?x)) (colour ?c))
(<= (next (painted ?x ?c)) (does me (paint ?x ?c)))
(<= (next (painted ?x ?c)) (true (painted ?x ?c)))
(<= (next (bare ?x)) (true (bare ?x)) (does me (paint ?y ?c)) (distinct ?x ?y))
(<= unfinished (true (bare ?x)))
(<= clash (edge ?x ?y) (true (painted ?x ?c)) (true (painted ?y ?c)))
(<= terminal (not unfinished))
(<= (goal me 100) (not unfinished) (not clash))
(<= (goal me 0) unfinished)
(<= (goal me 0) clash)
"""
