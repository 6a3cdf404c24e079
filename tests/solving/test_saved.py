"""A saved and resumed solve ends like an uninterrupted one; damaged files are rejected."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graven as gv
from graven.core.errors import UsageError
from graven.solving import SolveLimits
from graven.solving.solve_file import load

GAMES = {
    "morpion(variant=4D)": ["nrpa(level=2,iterations=20)", "nmcs(level=1)"],
    "samegame(size=5x5,colours=3,seed=1)": [
        "nrpa(level=3,iterations=8,alpha=10.24)",
        "nmcs(level=2)",
    ],
    "tsptw(cities=7,width=30,seed=1)": ["nrpa(level=2,iterations=20,code=move)", "nmcs(level=3)"],
}
PAIRS = [(game, method) for game, methods in GAMES.items() for method in methods]


@pytest.mark.parametrize(("game", "method"), PAIRS)
@pytest.mark.parametrize("cuts", [(1,), (57,), (130, 131, 300)])
def test_resuming_changes_nothing(game, method, cuts, tmp_path):
    whole = gv.solve(game, method, runs=2, seed=4)
    file = tmp_path / "solve.json"
    gv.solve(game, method, runs=2, playouts=cuts[0], seed=4, save=file)
    for cut in cuts[1:]:
        gv.solve(game, runs=2, playouts=cut, resume=file)
    rest = gv.solve(game, runs=2, resume=file)
    assert (rest.points, rest.moves) == (whole.points, whole.moves)
    assert (rest.playouts, rest.runs, rest.seed) == (whole.playouts, 2, 4)
    assert rest.method == whole.method


def test_a_position_other_than_the_start(tmp_path):
    start = gv.game("morpion", variant="4D").start()
    after = start.play(start.legal_moves[0])
    file = tmp_path / "solve.json"
    solution = gv.solve(after, "nrpa(level=1)", save=file)
    assert solution.points == len(solution.moves) + 1
    with pytest.raises(UsageError, match="another position"):
        gv.solve(start, resume=file)


@pytest.fixture(scope="module", params=["nrpa(level=2,iterations=9)", "nmcs(level=2)"])
def saved(request, tmp_path_factory):
    """Return a position and the text of an unfinished solve of it."""
    file = tmp_path_factory.mktemp("saved") / "solve.json"
    game = gv.game("samegame(board=1122/2121/3311)")
    gv.solve(game, request.param, playouts=31, save=file)
    return game.start(), file.read_text()


def test_files_of_other_games_are_rejected(saved, tmp_path):
    position, text = saved
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"is not a solve of .*it is a solve of samegame"):
        gv.solve("morpion", resume=file)
    with pytest.raises(UsageError, match="exists already"):
        gv.solve(position, save=file)
    with pytest.raises(UsageError, match="no folder"):
        gv.solve(position, save=tmp_path / "nowhere" / "x.json")
    with pytest.raises(UsageError, match="there is no file"):
        gv.solve(position, resume=tmp_path / "none.json")


@pytest.mark.parametrize("keep", [0, 1, 20, 200, -1])
def test_files_cut_short_are_rejected(saved, keep, tmp_path):
    position, text = saved
    file = tmp_path / "short.json"
    file.write_text(text[:keep])
    with pytest.raises(UsageError, match="damaged"):
        load(file, position)


WRONG = [None, -1, 1e300, "x", [], {}, [[]], [10**6], [0.5], True, 10**30, {"levels": []}]


def paths(value, path=()):
    """Yield the path of every value inside a JSON value."""
    yield path
    if isinstance(value, dict | list):
        children = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in children:
            yield from paths(child, (*path, key))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_files_are_rejected_or_lead_to_legal_games(saved, tmp_path, data):
    position, text = saved
    saved_values = json.loads(text)
    path = data.draw(st.sampled_from([path for path in paths(saved_values) if path]))
    wrong = data.draw(st.sampled_from(WRONG) | st.integers(-3, 300))
    changed = copy.deepcopy(saved_values)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = wrong
    file = tmp_path / "damaged.json"
    file.write_text(json.dumps(changed))
    try:
        session = load(file, position)
    except UsageError as error:
        message = str(error)
    else:
        message = ""
        solution = session.advance(
            SolveLimits(playouts=session.search.playouts + 50, runs=session.runs + 1)
        )
        assert solution.position.is_over
    assert "\n" not in message


def test_deeply_nested_nonsense_is_rejected(saved, tmp_path):
    position, _ = saved
    file = tmp_path / "deep.json"
    file.write_text("[" * 200_000)
    with pytest.raises(UsageError, match="damaged"):
        load(file, position)
