"""Time for a move out of a clock for the whole game."""

from __future__ import annotations

import numpy as np
import pytest

import graven as gv
from graven.agents import MoveClock
from graven.agents.short_games import (
    LEAST_SHARE,
    MOST_SHARE,
    UNKNOWN_LENGTH,
    decided_ply,
    known_length,
    measure_length,
)
from graven.agents.time_plan import (
    MIN_SECONDS,
    UNSTABLE_FACTOR,
    GameLength,
    PlannedStop,
    TimePlan,
)
from graven.search.budget import Budget
from graven.search.score_bounds import OPEN, WORSE
from graven.search.simulate import DONE, PLIES
from graven.search.tree import ROOT


class Clock:
    """A clock that tests turn on."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("left", [0.0, 0.05, 1.0, 60.0])
@pytest.mark.parametrize("moves_left", [1.0, 10.0, 100.0])
def test_a_game_never_takes_more_than_its_clock(left: float, moves_left: float) -> None:
    spent, clock = 0.0, left
    for _ in range(300):
        plan = TimePlan(clock)
        assert plan.share(moves_left) <= plan.most_seconds
        spent += plan.most_seconds
        clock = left - spent
    assert spent <= left + 300 * MIN_SECONDS + 1e-9


def test_more_moves_left_mean_less_time() -> None:
    plan = TimePlan(60.0)
    assert plan.share(20) == pytest.approx(3.0, abs=0.01)
    assert plan.share(40) == pytest.approx(1.5, abs=0.01)
    assert TimePlan(60.0, increment=1.0).share(40) == pytest.approx(2.5, abs=0.01)
    assert TimePlan(60.0, lag=0.5).share(40) == pytest.approx(1.0, abs=0.01)


def searched(
    visits: list[int],
    means: list[float],
    playouts: int,
    plies_each: int,
    spec: str = "uct(solver=off)",
):
    """A search of Hex whose first moves have these statistics."""
    game = gv.game("hex(size=4)")
    search = gv.agent(spec).bind(game)
    search.run(game.start().state, (), Budget(playouts=40), seed=1)
    tree = search.tree
    first = int(tree.first[2 * int(tree.meta[ROOT])])
    tree.counts[first : first + 16] = 0
    tree.sums[first : first + 16] = 0.0
    tree.counts[first : first + len(visits)] = visits
    tree.sums[first : first + len(visits)] = np.array(visits) * means
    search.control[DONE], search.control[PLIES] = playouts, playouts * plies_each
    return search


def seconds_until_stop(search, plan: TimePlan, step: float = 0.01) -> float:
    """When a plan ends a search whose statistics do not change."""
    clock = Clock()
    stop = PlannedStop(plan, search, now=clock)
    while not stop.is_set():
        clock.now += step
        assert clock.now < 100
    return clock.now


def test_a_leader_that_cannot_be_overtaken_ends_the_search() -> None:
    # 40 plies a playout, 0.7 of them in a game: 14 moves are expected, a move may take 4.3 s.
    plan = TimePlan(60.0, length=GameLength(0.7, 0.7))
    close = searched([500, 490], [0.6, 0.5], 1000, 40)
    assert seconds_until_stop(close, plan) == pytest.approx(60 / 14, abs=0.05)
    clear = searched([900, 90], [0.6, 0.5], 1000, 40)
    assert seconds_until_stop(clear, plan) < 3.0


def test_the_playouts_of_all_threads_may_overtake_the_leader() -> None:
    """What is left for the second move is the speed of all threads, not of one."""
    plan = TimePlan(60.0, length=GameLength(0.7, 0.7))
    game = gv.game("hex(size=4)")
    for parallel in ("tree", "root"):
        search = gv.agent(f"uct(solver=off,threads=2,parallel={parallel})").bind(game)
        search.run(game.start().state, (), Budget(playouts=80), seed=1)
        members = [search] if parallel == "tree" else search.members
        for member in members:
            tree = member.tree
            first = int(tree.first[2 * int(tree.meta[ROOT])])
            tree.counts[first : first + 16] = 0
            tree.sums[first : first + 16] = 0.0
            tree.counts[first : first + 2] = 700 // len(members), 300 // len(members)
            tree.sums[first : first + 2] = 0.6 * tree.counts[first], 0.5 * tree.counts[first + 1]
        for member in search.members:
            member.control[DONE], member.control[PLIES] = 500, 20_000
        # 1,000 playouts: the second move needs 400 more, in the share of 60 / 14 = 4.3 s. At the
        # time t there are 1000 * (4.3 - t) / t to come, so that it is too late from 3.1 s on.
        assert seconds_until_stop(search, plan) == pytest.approx(60 / 14 / 1.4, abs=0.1)
        search.control[:] = 0


def test_means_can_be_overtaken_at_any_time() -> None:
    plan = TimePlan(60.0, length=GameLength(0.7, 0.7))
    clear = searched([900, 90], [0.6, 0.5], 1000, 40, "uct(solver=off,final_move=mean)")
    assert seconds_until_stop(clear, plan) == pytest.approx(60 / 14, abs=0.05)


def test_the_only_legal_move_is_played_at_once() -> None:
    moves = "d5 c5 b2 e3 c6 b4 f3 f2 a5 a4 e5 b3 a3 c2 d1 a2 a1 f4 d2 b5 a6 d6 f5 f6 e6 e4"
    position = gv.game("othello(size=6)").start().play_moves(moves.split())
    assert position.legal_moves == ("b6",)
    search = gv.agent("uct(solver=off)").bind(position.game)
    search.run(position.state, position.history, Budget(playouts=40), seed=1)
    search.control[DONE], search.control[PLIES] = 1000, 9000
    assert seconds_until_stop(search, TimePlan(60.0)) < 0.1


def test_the_only_move_that_is_not_proven_worse_is_played_at_once() -> None:
    search = searched([500, 490], [0.6, 0.5], 1000, 40, "uct")
    tree = search.tree
    first = int(tree.first[2 * int(tree.meta[ROOT])])
    tree.skipped[first : first + 16] = WORSE
    tree.skipped[first + 1] = OPEN
    assert seconds_until_stop(search, TimePlan(60.0)) < 0.1
    tree.skipped[first] = OPEN
    assert seconds_until_stop(search, TimePlan(60.0)) > 1.0


def test_an_unstable_best_move_gets_more_time() -> None:
    plan = TimePlan(60.0)
    stable = seconds_until_stop(searched([500, 490], [0.6, 0.5], 1000, 40), plan)
    unstable = seconds_until_stop(searched([500, 490], [0.5, 0.6], 1000, 40), plan)
    assert unstable == pytest.approx(UNSTABLE_FACTOR * stable, rel=0.05)
    assert unstable <= plan.most_seconds + 0.02


def test_longer_games_leave_less_time_for_a_move() -> None:
    plan = TimePlan(60.0)
    short = seconds_until_stop(searched([500, 490], [0.6, 0.5], 1000, 40), plan)
    long = seconds_until_stop(searched([500, 490], [0.6, 0.5], 1000, 120), plan)
    assert long == pytest.approx(short / 3, abs=0.05)


def test_a_player_with_a_clock_divides_it_among_its_moves() -> None:
    game = gv.game("hex(size=5)")
    player = gv.agent("uct(time=2,solver=off)").player(game, seed=2)
    player.warm_up()
    position, playouts = game.start(), []
    while not position.is_over:
        result = player.choose(position)
        playouts.append(result.playouts)
        position = position.play(result.best_move)
    assert min(playouts) > 0
    assert max(playouts) < sum(playouts) / 2


def test_seconds_are_not_shortened_by_a_plan() -> None:
    position = gv.game("hex(size=9)").start()
    clock = MoveClock(Budget(seconds=0.3))
    assert gv.agent("uct").player(position.game).choose(position, clock).seconds >= 0.3


def test_a_budget_in_playouts_does_not_use_the_clock() -> None:
    position = gv.game("hex(size=9)").start()
    player = gv.agent("uct(time=60)").player(position.game)
    assert player.choose(position, MoveClock(Budget(300))).playouts == 300


def test_short_games_tell_how_long_games_last() -> None:
    """Playouts of Hex fill the board; games end when two edges are connected."""
    agent = gv.agent("grave(bias=1e-5)")
    hex_game, othello = gv.game("hex(size=9)"), gv.game("othello(size=6)")
    assert known_length(agent, hex_game) == UNKNOWN_LENGTH == GameLength(1.0, 1.0)
    assert LEAST_SHARE <= measure_length(agent, hex_game).whole < 0.7
    assert measure_length(agent, hex_game) == known_length(agent, hex_game)
    assert 0.9 < measure_length(agent, othello).whole < 1.1 < MOST_SHARE


def test_games_of_go_are_decided_long_before_their_end() -> None:
    length = measure_length(gv.agent("grave(bias=1e-6)"), gv.game("go(size=5)"))
    assert length.undecided < 0.7 * length.whole


def test_a_game_without_short_games_is_expected_to_last_as_long_as_playouts(monkeypatch) -> None:
    monkeypatch.setattr("graven.agents.short_games.MOST_SECONDS", 0.0)
    assert measure_length(gv.agent("uct(c=0.33)"), gv.game("hex(size=9)")) == UNKNOWN_LENGTH


def test_games_with_simultaneous_moves_have_a_length() -> None:
    game = gv.game("gdl(sheet=battle)")
    length = measure_length(gv.agent("uct"), game)
    assert LEAST_SHARE <= length.undecided <= MOST_SHARE


class Position:
    """A position as far as short games know it."""

    def __init__(
        self, ply: int, players: tuple[int, ...] = (), scores: tuple[float, ...] | None = None
    ) -> None:
        self.ply, self.players_to_move, self.scores = ply, players, scores


class Result:
    """A search that expects this score of the player to move."""

    def __init__(self, value: float | None) -> None:
        self.value = value

    def value_of(self, player: int) -> float | None:
        return self.value


def decided(scores: tuple[float, ...], values: list[float | None]) -> int:
    """When a game with these expected scores of the players in turn is decided."""
    results = [(Position(ply, (ply % len(scores),)), Result(v)) for ply, v in enumerate(values)]
    return decided_ply(Position(len(values), scores=scores), results)


def test_a_game_is_decided_when_the_winner_expects_to_win_from_then_on() -> None:
    assert decided((1, 0), [0.5, 0.5, 0.9, 0.2, 0.6, 0.3, 0.9, 0.1, 1.0, 0.0]) == 6
    assert decided((0, 1), [0.5, 0.5, 0.4, 0.6, 0.1, 0.9, 0.1, 1.0]) == 5
    assert decided((1, 0), [0.9, 0.1, 1.0]) == 0
    assert decided((1, 0), [0.5, 0.5, None, 0.5, 0.9]) == 4
    assert decided((0, 1, 0), [0.3, 0.3, 0.3, 0.2, 0.9, 0.1, 0.1, 1.0]) == 4


def test_a_game_without_a_clear_winner_is_open_to_its_end() -> None:
    assert decided((0.5, 0.5), [0.5, 0.5, 0.9, 0.5, 0.5]) == 5
    assert decided((0.6, 0.4), [0.5, 0.5, 0.6, 0.4, 0.6, 0.4]) == 6
    assert decided((0.5, 0.5, 0), [0.3, 0.3, 0.9, 0.9, 0.9]) == 5


def test_a_game_that_is_decided_early_gets_more_time_for_its_first_moves() -> None:
    early, late = GameLength(1.0, 0.4), GameLength(1.0, 1.0)
    assert TimePlan(60.0, length=early).share(50) == pytest.approx(60 / 20, abs=0.02)
    assert TimePlan(60.0, length=late).share(50) == pytest.approx(60 / 50, abs=0.02)
    # The lag of all 50 moves is kept; an increment pays for the moves after the decision.
    assert TimePlan(60.0, lag=0.5, length=early).share(50) == pytest.approx(35 / 20, abs=0.02)
    plan = TimePlan(60.0, increment=1.0, length=early)
    assert plan.share(50) == pytest.approx(60 / 20 + 1, abs=0.02)


@pytest.mark.parametrize("undecided", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("lag", [0.0, 0.1])
def test_a_game_is_played_to_its_end_within_its_clock(undecided: float, lag: float) -> None:
    """Even if all searches are unstable, and each move takes a millisecond besides."""
    left, length = 10.0, GameLength(1.0, undecided)
    for playout_moves in range(60, 0, -1):
        plan = TimePlan(left, lag=lag, length=length)
        share = plan.share(playout_moves)
        left -= min(UNSTABLE_FACTOR * share, plan.most_seconds) + 0.001 + lag
    assert left > 0
