"""Budgets, stopping, memory, seeds and faults of a search."""

from __future__ import annotations

import threading
import time

import pytest

from graven.agents import MoveClock, SearchAgent
from graven.core.errors import ContractError, UsageError
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from tests.naive import tiny
from tests.search.helpers import amaf_table


@pytest.fixture(scope="module")
def start():
    return make_game("breakthrough").start()


def test_a_search_plays_exactly_its_playouts(start):
    for playouts in (1, 2, 7, 1234):
        found = SearchAgent("grave").search(start, playouts=playouts)
        assert found.playouts == playouts
        # The first playout starts at the root itself; each of the others tries a move.
        assert sum(stat.visits for stat in found.root_stats) == playouts - 1


def test_one_playout_still_names_a_legal_move(start):
    assert SearchAgent("uct").search(start, playouts=1).best_move in start.legal_moves


def test_same_seed_same_search_other_seed_another(start):
    agent = SearchAgent("grave(ref=20)")
    one, two, three = (agent.search(start, playouts=2000, seed=seed) for seed in (1, 1, 2))
    assert one.root_stats == two.root_stats
    assert one.pv == two.pv
    assert one.root_stats != three.root_stats


class SteppingClock:
    """A clock that advances by a fixed step each time it is read, and fails after a limit."""

    def __init__(self, step: float, limit: float) -> None:
        self.now, self.step, self.limit = 0.0, step, limit

    def __call__(self) -> float:
        self.now += self.step
        assert self.now < self.limit, "the search continues after its deadline"
        return self.now


def test_a_search_ends_at_its_deadline_and_not_before(start, monkeypatch):
    agent = SearchAgent("uct")
    agent.search(start, playouts=10)  # compile first
    step, seconds = 0.01, 0.3
    # Between two looks at the deadline the clock may be read a few times, not ten times.
    monkeypatch.setattr(time, "perf_counter", SteppingClock(step, seconds + 10 * step))
    result = agent.search(start, seconds=seconds)
    assert seconds <= result.seconds < seconds + 10 * step
    assert result.playouts > 1


def test_another_thread_can_stop_a_search(start):
    stop = threading.Event()
    found = []
    thread = threading.Thread(
        target=lambda: found.append(SearchAgent("grave").search(start, playouts=10**9, stop=stop))
    )
    thread.start()
    time.sleep(0.2)
    stop.set()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert found[0].best_move in start.legal_moves
    assert 0 < found[0].playouts < 10**9


def test_a_search_can_be_interrupted_without_a_stop_event(start):
    search = SearchAgent("uct").bind(start.game)
    timer = threading.Timer(0.2, search.interrupt)
    timer.start()
    run = search.run(start.state, (), Budget(playouts=10**9), seed=0)
    timer.join()
    assert 0 < run.playouts < 10**9


@pytest.mark.parametrize("spec", ["uct(memory_mib=4)", "rave(memory_mib=4)", "grave(memory_mib=4)"])
def test_a_full_tree_is_searched_on_and_reported(start, spec):
    found = SearchAgent(spec).search(start, playouts=60_000)
    assert found.memory_full
    assert found.playouts == 60_000
    assert found.memory_mib <= 4
    assert sum(stat.visits for stat in found.root_stats) == 60_000 - 1
    assert not SearchAgent(spec).search(start, playouts=100).memory_full


def test_a_full_tree_never_reads_a_table_that_misses_simulations():
    """Tables of a closed tree hold what was counted since the node was made, or do not exist."""
    game = make_game("knightthrough(size=6)")
    search = SearchAgent("grave(ref=10,memory_mib=1)").bind(game)
    start = game.start()
    search.run(start.state, (), Budget(playouts=20_000), seed=4)
    tree, rules = search.tree, search.rules
    assert tree.meta[arrays.CLOSED]
    for node in range(int(search.tree.meta[arrays.NODES])):
        table, turn = int(tree.table[node]), int(tree.turns[node])
        if table == arrays.NONE or turn < 0 or tree.first[node * 2 + turn] == arrays.NONE:
            continue
        first = int(tree.first[node * 2 + turn])
        for edge in range(first, first + int(tree.degree[node * 2 + turn])):
            entry = turn * rules.num_codes + int(tree.moves[edge])
            # A move tried here is in AMAF at least as often.
            assert amaf_table(rules, tree, table)[entry, 0] >= tree.counts[edge]


def test_too_little_memory_is_an_error_not_a_crash():
    game = tiny.heaps(3).changed(num_codes=100_000)
    with pytest.raises(UsageError, match="memory_mib=1 is too little"):
        SearchAgent("grave(memory_mib=1)").search(game.start(), playouts=10)


@pytest.mark.parametrize(
    ("playouts", "seconds"), [(0, None), (-5, None), (None, 0.0), (None, -1.0)]
)
def test_empty_budgets_are_refused(start, playouts, seconds):
    with pytest.raises(UsageError, match=r"at least 1 playout|more than 0 seconds"):
        SearchAgent("uct").search(start, playouts=playouts, seconds=seconds)


def test_a_finished_game_cannot_be_searched():
    position = make_game("domineering(size=2)").start()
    while not position.is_over:
        position = position.play(position.legal_moves[0])
    with pytest.raises(UsageError, match="is over"):
        SearchAgent("uct").search(position, playouts=10)


def test_a_player_gives_the_same_moves_for_the_same_seed_with_and_without_reuse():
    game = make_game("breakthrough(size=5)")
    for spec in ("grave(ref=10)", "grave(ref=10,reuse_tree=true)", "hrave(k=50,reuse_tree=true)"):
        games = []
        for _ in range(2):
            position = game.start()
            player = SearchAgent(spec).player(game, seed=9)
            while not position.is_over:
                clock = MoveClock(Budget(playouts=200))
                position = position.play(player.choose(position, clock).best_move)
            games.append(position.history)
        assert games[0] == games[1]


def test_a_reused_tree_keeps_the_visits_of_the_position(start):
    player = SearchAgent("uct(reuse_tree=true,playouts=2000)").player(start.game, seed=1)
    first = player.choose(start)
    reply = start.play(first.pv[0]).play(first.pv[1])
    second = player.choose(reply)
    assert sum(stat.visits for stat in second.root_stats) > 2000


def test_uct_finds_the_winning_move_of_small_games():
    # Heaps of 1 and 2: only 1 and 1 leaves the opponent without a good answer.
    game = tiny.heaps(2)
    position = game.start().play("left-1")
    for spec in (
        "uct(c=0.4)",
        "uct(c=0.4,final_move=mean)",
        "rave(bias=0.1,c=0.2)",
        "grave(ref=5,c=0.2)",
    ):
        found = SearchAgent(spec).search(position, playouts=3000, seed=2)
        assert found.best_move == "right-1"
        assert found.value > 0.8


def never_over(tables, state):
    return state[2]


def too_many(tables, state, player, moves):
    for i in range(4):
        moves[i] = i
    return 5


def none_at_all(tables, state, player, moves):
    return 0


def outside(tables, state, player, moves):
    moves[0] = 99
    return 1


@pytest.mark.parametrize(
    ("part", "function", "said"),
    [
        ("turn", never_over, "`turn` let a game go|gave no move"),
        ("legal", too_many, "more than the declared 4 moves"),
        ("legal", none_at_all, "gave no move"),
        ("legal", outside, "outside 0 to 3"),
    ],
)
def test_broken_rules_end_the_search_with_a_message(part, function, said):
    game = tiny.heaps(3).changed(**{part: function})
    with pytest.raises(ContractError, match=said):
        SearchAgent("grave").search(game.start(), playouts=500)


def test_playouts_count_draws_as_half(start):
    game = tiny.rock_paper_scissors(1)
    found = SearchAgent("uct(c=5)").search(game.start(), playouts=3000)
    assert len(found.best_joint) == 2
    for player in (0, 1):
        for stat in found.by_player[player]:
            assert stat.mean == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("transpositions", ["true", "false"])
@pytest.mark.parametrize("prune", [True, False])
def test_a_tree_of_simultaneous_moves_is_reused_or_replaced(transpositions, prune):
    game = tiny.rock_paper_scissors(4)
    spec = f"grave(ref=5,reuse_tree=true,transpositions={transpositions},solver=off)"
    search = SearchAgent(spec).bind(game)
    search.prune_above = 0 if prune else search.prune_above
    position = game.start()
    while not position.is_over:
        run = search.run(position.state, position.history, Budget(playouts=300), seed=position.ply)
        assert run.playouts == 300
        position = position.play_joint(["rock", "paper"])
    # Only keys find the children of joint moves.
    assert (search.tree.visits[search.tree.meta[arrays.ROOT]] > 300) == (
        transpositions == "true" and not prune
    )


@pytest.mark.parametrize("spec", ["hrave(k=50", "grave(ref=20", "rave(bias=1e-3"])
def test_a_tree_that_was_full_is_kept_only_where_its_tables_are_exact(spec):
    game = make_game("domineering(size=8)")
    search = SearchAgent(f"{spec},reuse_tree=true,memory_mib=4)").bind(game)
    position = game.start()
    for _ in range(6):
        run = search.run(position.state, position.history, Budget(playouts=20_000), position.ply)
        tree, rules = run.tree, search.rules
        root, player = int(tree.meta[arrays.ROOT]), position.current_player
        first = int(tree.first[root * 2 + player])
        degree = int(tree.degree[root * 2 + player])
        counts = tree.counts[first : first + degree]
        entries = player * rules.num_codes + tree.moves[first : first + degree]
        playouts = amaf_table(rules, tree, int(tree.table[root]))[entries, 0]
        # Every playout that began with a move contains it, and no playout counts twice.
        assert (playouts >= counts).all()
        assert playouts.max() <= tree.visits[root]
        position = position.play(int(tree.moves[first + int(counts.argmax())]))


def test_a_kept_tree_is_searched_at_every_move_however_short_the_time():
    game = make_game("domineering(size=19)")
    search = SearchAgent("grave(reuse_tree=true)").bind(game)
    position = game.start()
    for _ in range(12):
        run = search.run(position.state, position.history, Budget(seconds=0.05), position.ply)
        assert run.playouts > 0
        position = position.play(position.legal_moves[0])


def test_the_main_line_begins_with_the_move_that_is_played():
    start = make_game("nogo(size=4)").start()
    for spec in ("uct", "uct(final_move=mean)"):
        for seed in range(20):
            found = SearchAgent(spec).search(start, playouts=60, seed=seed)
            assert found.pv[0] == found.best_move


def test_an_interrupt_is_not_lost_if_it_comes_early(start):
    search = SearchAgent("uct").bind(start.game)
    search.interrupt()
    assert search.run(start.state, (), Budget(playouts=10**9), seed=0).playouts == 0
    assert search.run(start.state, (), Budget(playouts=10), seed=0).playouts == 10


def writes_too_many(tables, state, player, moves):
    for i in range(7):
        moves[i] = i % 4
    return 7


def test_too_many_moves_are_refused_where_people_ask_for_them():
    game = tiny.heaps(3).changed(legal=writes_too_many)
    with pytest.raises(ContractError, match="`legal` returned 7 moves"):
        game.start().legal_moves  # noqa: B018


def test_a_game_longer_than_it_says_is_noticed():
    game = tiny.heaps(6).changed(max_plies=5)
    with pytest.raises(ContractError, match="beyond the declared 5 plies"):
        SearchAgent("uct").search(game.start(), playouts=2000)
