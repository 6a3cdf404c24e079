"""A game on the page: what may be done, what is refused, and that the line stays a game."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.games import sgf
from graven.interfaces.web.live_game import Note, Table, read_agent, within
from graven.interfaces.web.web_games import cells_of, files_in, inside, named_game
from graven.interfaces.web.web_limits import Limits
from graven.search.budget import Budget
from tests.interfaces.web.heap import RULES
from tests.naive.tiny import rock_paper_scissors

LIMITS = Limits(playouts=1000, seconds=5.0)


def table(spec="nogo(size=4)", seats=None, limits=LIMITS):
    made = Table(named_game(spec, limits.folder), spec, limits)
    made.seat(seats, Budget(100))
    return made


def answer(made):
    """Let the agent whose turn it is play its first legal move."""
    player = made.thinks()
    made.agent_moves(player, made.position.legal_moves_of(player)[0], Note(player, 0.25, 100))


def test_a_person_moves_and_an_agent_is_asked_to_answer():
    made = table()
    assert made.thinks() is None
    made.person_moves(0, "a1", 0)  # in whatever case
    assert [ply.move for ply in made.plies] == ["A1"]
    assert made.thinks() == 1
    answer(made)
    assert made.thinks() is None
    assert made.plies[1].note == Note(1, 0.25, 100)
    state = json.loads(json.dumps(made.state()))
    assert state["plies"][1]["note"] == [1, 0.25, 100]
    assert state["mayMove"] == [0]
    assert ["A1", ["A1"]] not in state["moves"]["0"]


@pytest.mark.parametrize(
    ("player", "move", "ply", "said"),
    [
        (0, "Z9", 0, "unknown move"),
        (0, "A1", 1, "has changed"),
        (1, "A1", 0, "agent sits there"),
        (7, "A1", 0, "agent sits there"),
    ],
)
def test_a_move_that_cannot_be_made_changes_nothing(player, move, ply, said):
    made = table()
    with pytest.raises(UsageError, match=said):
        made.person_moves(player, move, ply)
    assert made.plies == []


def test_an_occupied_point_is_refused_in_the_games_words():
    made = table(seats=["person", "person"])
    made.person_moves(0, "A1", 0)
    with pytest.raises(UsageError, match="not legal"):
        made.person_moves(1, "A1", 1)


def test_undo_takes_back_to_the_persons_own_move():
    made = table()
    made.person_moves(0, "A1", 0)
    answer(made)
    made.undo()
    assert made.plies == []
    assert made.thinks() is None
    with pytest.raises(UsageError, match="no move to take back"):
        made.undo()


def test_looking_back_loses_nothing_and_a_move_there_begins_anew():
    made = table(seats=["person", "person"])
    for ply, move in enumerate(["A1", "B2", "C3"]):
        made.person_moves(ply % 2, move, ply)
    made.jump(1)
    assert made.state()["at"] == 1
    assert len(made.plies) == 3
    made.person_moves(1, "D4", 1)
    assert [ply.move for ply in made.plies] == ["A1", "D4"]
    with pytest.raises(UsageError, match="2 moves so far"):
        made.jump(3)


def test_agents_pause_step_and_go_on():
    made = table(seats=["uct", "rave"])
    assert made.thinks() == 0
    made.pause(True)
    assert made.thinks() is None
    made.step()
    assert made.thinks() == 0
    answer(made)
    assert made.thinks() is None
    made.pause(False)
    assert made.thinks() == 1
    answer(made)
    made.undo()
    assert (len(made.plies), made.thinks()) == (1, None)


def test_resigning_ends_the_game_and_can_be_taken_back():
    made = table()
    made.resign()
    assert made.over
    assert made.scores == (0.0, 1.0)
    assert made.thinks() is None
    with pytest.raises(UsageError):
        made.person_moves(0, "A1", 0)
    made.undo()
    assert not made.over


def test_swapping_gives_everybody_the_next_seat():
    made = table(seats=["person", "grave"])
    made.swap()
    assert made.people == [1]
    assert made.thinks() == 0


def test_the_last_seat_named_takes_all_that_are_left():
    made = table("go(size=3,colors=4)", ["person", "uct"])
    assert [spec.tree.name if spec else None for spec in made.seats] == [None, "uct", "uct", "uct"]
    with pytest.raises(UsageError, match="2 seats"):
        table(seats=["uct", "uct", "uct"])
    assert table("morpion").people == [0]


def test_all_move_at_once():
    made = Table(rock_paper_scissors(), "hands", LIMITS)
    made.seat(["person", "uct"], Budget(10))
    assert made.thinks() == 1
    mine = made.position.legal_moves_of(0)[0]
    made.person_moves(0, mine, 0)
    assert made.plies == []
    assert made.state()["mayMove"] == []
    answer(made)
    assert made.plies[0].move.split(",")[0] == mine
    assert made.plies[0].note == Note(1, 0.25, 100)


def test_programs_and_budgets_beyond_the_limits_are_refused(tmp_path):
    proof = tmp_path / "ran"
    for spec in (f'gtp("touch {proof}")', f" GTP ('touch {proof}')", f"gtp(touch {proof})"):
        with pytest.raises(UsageError):
            read_agent(spec, LIMITS)
    own = tmp_path / "own.py"
    own.write_text(f"open({str(proof)!r}, 'w').close()\n")
    for spec in (f"{own}:tree", f"uct+{own}:playout"):
        with pytest.raises(UsageError, match="on your own machine"):
            read_agent(spec, LIMITS)
    assert not proof.exists()
    with pytest.raises(UsageError, match="at most 1,000 playouts"):
        read_agent("uct(playouts=1001)", LIMITS)
    with pytest.raises(UsageError, match="at most 5 seconds"):
        within(Budget(seconds=5.01), LIMITS)
    # Nobody can stop a search within a batch.
    assert (
        read_agent("uct(batch_leaves=32,playouts_per_leaf=32)", LIMITS).options.playouts_per_leaf
        == 32
    )
    with pytest.raises(UsageError, match="batches"):
        read_agent("uct(batch_leaves=32,playouts_per_leaf=33)", LIMITS)
    # A budget in playouts is bounded in time as well.
    assert within(Budget(1000), LIMITS) == Budget(1000, 5.0)


def test_no_file_outside_the_folder_is_read(tmp_path):
    folder = tmp_path / "games"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "board.txt").write_text("112\n122\n")
    secret = tmp_path / "secret.txt"
    secret.write_text("112\n122\n")
    (folder / "link.txt").symlink_to(secret)
    assert inside(folder, "deep/board.txt").name == "board.txt"
    assert files_in(folder) == ["deep/board.txt"]
    outside = [
        "../secret.txt",
        str(secret),
        "link.txt",
        "deep/../../secret.txt",
        "",
        ".",
        "no",
        "a\0b",
    ]
    for name in outside:
        with pytest.raises(UsageError):
            inside(folder, name)
    limits = Limits(folder=folder)
    assert named_game("samegame(file=deep/board.txt)", folder).name == "samegame"
    for spec in ("samegame(file=../secret.txt)", f"tsptw(file={secret})"):
        with pytest.raises(UsageError):
            named_game(spec, limits.folder)
        with pytest.raises(UsageError, match="reads no files"):
            named_game(spec, None)


@pytest.mark.parametrize(
    "text", ["evil.py:game", "rules/tictactoe.kif", "../x.py", "os", "__init__"]
)
def test_only_games_of_the_package_have_names(text):
    with pytest.raises(UsageError):
        named_game(text, None)


def test_rules_as_gdl_text_are_a_game_like_any_other(tmp_path):
    made = Table.begin("heap.kif", RULES, LIMITS, seed=1)
    made.seat(["person", "grave"], Budget(100))
    assert made.thinks() is None
    made.person_moves(0, made.position.legal_moves_of(0)[0], 0)
    assert made.thinks() == 1
    state = json.loads(json.dumps(made.state()))
    assert state["svg"] is None
    assert "heap" in state["text"]
    saved = made.as_json()
    again = Table.begin(saved["game"], saved["rules"], LIMITS, seed=1)
    again.play_all(saved["moves"])
    assert again.position.key == made.position.key
    secret = tmp_path / "secret.kif"
    secret.write_text(RULES)
    for spec in (str(secret), f"gdl(file={secret})", "gdl(sheet=../../x)"):
        with pytest.raises(UsageError):
            named_game(spec, None)
    with pytest.raises(UsageError):
        Table.begin("broken.kif", "(role white", LIMITS, seed=1)


def test_cells_of_moves():
    names = {"a2", "b3", "m21", "12", "D4"}
    assert cells_of("a2b3", names) == ["a2", "b3"]
    assert cells_of("m21:ne3", names) == ["m21"]
    assert cells_of("12", names) == ["12"]
    assert cells_of("pass", names) == []
    assert cells_of("D4", names) == ["D4"]


def test_a_click_is_enough_where_the_first_cell_tells_the_move():
    assert table("domineering(size=4)").state()["game"]["oneClick"]
    assert not table("breakthrough(size=5)").state()["game"]["oneClick"]


def test_a_game_of_go_as_sgf_can_be_read_again():
    made = table("go(size=5,komi=0.5)", ["person", "uct"])
    made.person_moves(0, "C3", 0)
    answer(made)
    made.person_moves(0, "pass", 2)
    made.resign()
    record = sgf.read(made.as_sgf().encode())
    assert [(player, move) for player, move, _ in record.moves] == [
        (0, "C3"),
        (1, made.plies[1].move),
        (0, "pass"),
    ]
    assert record.moves[1][2] == "100 playouts, win rate 25.0 %"
    assert (record.size, record.komi) == (5, 0.5)
    with pytest.raises(UsageError, match="JSON"):
        table("nogo(size=4)").as_sgf()


def test_a_saved_game_can_be_opened_again():
    made = table()
    made.person_moves(0, "A1", 0)
    answer(made)
    saved = json.loads(json.dumps(made.as_json()))
    again = table(saved["game"], saved["seats"])
    again.play_all(saved["moves"])
    assert again.position == made.position
    assert saved["evaluations"] == [None, {"player": 1, "value": 0.25, "playouts": 100}]
    with pytest.raises(UsageError, match="move 1"):
        table().play_all(["Q9"])


commands = st.one_of(
    st.tuples(st.just("person"), st.integers(0, 20)),
    st.tuples(st.just("agent"), st.integers(0, 20)),
    st.tuples(st.sampled_from(["undo", "swap", "resign", "step"]), st.just(0)),
    st.tuples(st.just("jump"), st.integers(0, 12)),
    st.tuples(st.just("pause"), st.booleans()),
)


@settings(max_examples=60)
@given(st.lists(commands, max_size=40))
def test_whatever_is_done_the_line_is_a_game(done):
    made = table("nogo(size=3)")
    for what, value in done:
        with suppress(UsageError):
            if what == "person":
                player = (made.position.players_to_move or (0,))[0]
                legal = made.position.legal_moves_of(player) or ("A1",)
                made.person_moves(player, legal[value % len(legal)], made.at)
            elif what == "agent":
                player = made.thinks()
                if player is not None:
                    legal = made.position.legal_moves_of(player)
                    made.agent_moves(player, legal[value % len(legal)], Note(player, 0.5, 1))
            elif what in ("jump", "pause"):
                getattr(made, what)(value)
            else:
                getattr(made, what)()
        state = made.state()
        assert len(made.positions) == len(made.plies) + 1
        assert 0 <= made.at <= len(made.plies)
        line = [ply.move for ply in made.plies]
        assert made.game.start().play_moves(line) == made.positions[-1]
        assert made.thinks() is None or made.at_end
        assert set(state["mayMove"]) <= set(made.people)
        assert (made.scores is not None) == made.over
