"""A game on the page: its actions, their errors, and its file formats."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.games import sgf
from graven.interfaces.web.live_game import LiveGame, MoveEvaluation
from graven.interfaces.web.live_game_formats import saved_game, sgf_text, state_message
from graven.interfaces.web.web_games import packaged_game
from graven.interfaces.web.web_limits import PageLimits
from graven.search.budget import Budget
from tests.interfaces.web.take_away_rules import TAKE_AWAY_RULES
from tests.naive import dice
from tests.naive.tiny import rock_paper_scissors

LIMITS = PageLimits(playouts=1000, seconds=5.0)


def live_game(spec="nogo(size=4)", seats=None, limits=LIMITS):
    live = LiveGame(packaged_game(spec, limits.folder), spec, limits)
    live.assign_seats(seats, Budget(100))
    return live


def play_agent(live):
    """Let the agent whose turn it is play its first legal move."""
    player = live.agent_to_move()
    live.play_agent_move(
        player, live.position.legal_moves_of(player)[0], MoveEvaluation(player, 0.25, 100)
    )


def test_a_person_moves_and_then_an_agent_has_to_move():
    live = live_game()
    assert live.agent_to_move() is None
    live.play_person_move(0, "a1", 0)  # in any case
    assert [ply.move for ply in live.plies] == ["A1"]
    assert live.agent_to_move() == 1
    play_agent(live)
    assert live.agent_to_move() is None
    assert live.plies[1].evaluation == MoveEvaluation(1, 0.25, 100)
    state = json.loads(json.dumps(state_message(live)))
    assert state["plies"][1]["evaluation"] == {"player": 1, "value": 0.25, "playouts": 100}
    assert state["persons_to_move"] == [0]
    assert ["A1", ["A1"]] not in state["legal_moves"]["0"]


@pytest.mark.parametrize(
    ("player", "move", "ply", "error"),
    [
        (0, "Z9", 0, "unknown move"),
        (0, "A1", 1, "has changed"),
        (1, "A1", 0, "agent has this seat"),
        (7, "A1", 0, "agent has this seat"),
    ],
)
def test_an_invalid_move_changes_nothing(player, move, ply, error):
    live = live_game()
    with pytest.raises(UsageError, match=error):
        live.play_person_move(player, move, ply)
    assert live.plies == []


def test_an_illegal_move_raises_the_error_of_the_game():
    live = live_game(seats=["person", "person"])
    live.play_person_move(0, "A1", 0)
    with pytest.raises(UsageError, match="not legal"):
        live.play_person_move(1, "A1", 1)


def test_undo_takes_back_moves_up_to_the_last_move_of_the_person():
    live = live_game()
    live.play_person_move(0, "A1", 0)
    play_agent(live)
    live.undo()
    assert live.plies == []
    assert live.agent_to_move() is None
    with pytest.raises(UsageError, match="no move to take back"):
        live.undo()


def test_earlier_plies_can_be_shown_and_a_move_there_removes_the_later_ones():
    live = live_game(seats=["person", "person"])
    for ply, move in enumerate(["A1", "B2", "C3"]):
        live.play_person_move(ply % 2, move, ply)
    live.go_to_ply(1)
    assert state_message(live)["shown_ply"] == 1
    assert len(live.plies) == 3
    live.play_person_move(1, "D4", 1)
    assert [ply.move for ply in live.plies] == ["A1", "D4"]
    with pytest.raises(UsageError, match="2 moves so far"):
        live.go_to_ply(3)


def test_agents_pause_step_and_continue():
    live = live_game(seats=["uct", "rave"])
    assert live.agent_to_move() == 0
    live.set_paused(True)
    assert live.agent_to_move() is None
    live.step()
    assert live.agent_to_move() == 0
    play_agent(live)
    assert live.agent_to_move() is None
    live.set_paused(False)
    assert live.agent_to_move() == 1
    play_agent(live)
    live.undo()
    assert (len(live.plies), live.agent_to_move()) == (1, None)


def test_a_resignation_ends_the_game_and_can_be_undone():
    live = live_game()
    live.resign()
    assert live.is_over
    assert live.scores == (0.0, 1.0)
    assert live.agent_to_move() is None
    with pytest.raises(UsageError):
        live.play_person_move(0, "A1", 0)
    live.undo()
    assert not live.is_over


def test_rotating_the_seats():
    live = live_game(seats=["person", "grave"])
    live.rotate_seats()
    assert live.person_seats == [1]
    assert live.agent_to_move() == 0


def test_the_last_seat_in_the_list_fills_the_remaining_seats():
    live = live_game("go(size=3,colors=4)", ["person", "uct"])
    assert [spec.tree.name if spec else None for spec in live.seats] == [None, "uct", "uct", "uct"]
    with pytest.raises(UsageError, match="2 seats"):
        live_game(seats=["uct", "uct", "uct"])
    assert live_game("morpion").person_seats == [0]


def test_simultaneous_moves():
    live = LiveGame(rock_paper_scissors(), "hands", LIMITS)
    live.assign_seats(["person", "uct"], Budget(10))
    assert live.agent_to_move() == 1
    mine = live.position.legal_moves_of(0)[0]
    live.play_person_move(0, mine, 0)
    assert live.plies == []
    assert state_message(live)["persons_to_move"] == []
    play_agent(live)
    assert live.plies[0].move.split(",")[0] == mine
    assert live.plies[0].evaluation == MoveEvaluation(1, 0.25, 100)


def test_a_game_from_gdl_text(tmp_path):
    live = LiveGame.create("heap.kif", LIMITS, rules=TAKE_AWAY_RULES, seed=1)
    live.assign_seats(["person", "grave"], Budget(100))
    assert live.agent_to_move() is None
    live.play_person_move(0, live.position.legal_moves_of(0)[0], 0)
    assert live.agent_to_move() == 1
    state = json.loads(json.dumps(state_message(live)))
    assert state["svg"] is None
    assert "heap" in state["text"]
    saved = saved_game(live)
    again = LiveGame.create(saved["game"], LIMITS, rules=saved["rules"], seed=1)
    again.replay(saved["moves"])
    assert again.position.key == live.position.key
    secret = tmp_path / "secret.kif"
    secret.write_text(TAKE_AWAY_RULES)
    for spec in (str(secret), f"gdl(file={secret})", "gdl(sheet=../../x)"):
        with pytest.raises(UsageError):
            packaged_game(spec, None)
    with pytest.raises(UsageError):
        LiveGame.create("broken.kif", LIMITS, rules="(role white", seed=1)


def test_one_click_is_enough_where_the_first_cell_identifies_the_move():
    assert state_message(live_game("domineering(size=4)"))["game"]["one_click"]
    assert not state_message(live_game("breakthrough(size=5)"))["game"]["one_click"]


def test_a_game_of_go_is_written_as_sgf():
    live = live_game("go(size=5,komi=0.5)", ["person", "uct"])
    live.play_person_move(0, "C3", 0)
    play_agent(live)
    live.play_person_move(0, "pass", 2)
    live.resign()
    record = sgf.read(sgf_text(live).encode())
    assert [(player, move) for player, move, _ in record.moves] == [
        (0, "C3"),
        (1, live.plies[1].move),
        (0, "pass"),
    ]
    assert record.moves[1][2] == "100 playouts, win rate 25.0 %"
    assert (record.size, record.komi) == (5, 0.5)
    with pytest.raises(UsageError, match="JSON"):
        sgf_text(live_game("nogo(size=4)"))


def test_a_saved_game_can_be_opened_again():
    live = live_game()
    live.play_person_move(0, "A1", 0)
    play_agent(live)
    saved = json.loads(json.dumps(saved_game(live)))
    again = live_game(saved["game"], saved["seats"])
    again.replay(saved["moves"])
    assert again.position == live.position
    assert saved["evaluations"] == [None, {"player": 1, "value": 0.25, "playouts": 100}]
    with pytest.raises(UsageError, match="move 1"):
        live_game().replay(["Q9"])


actions = st.one_of(
    st.tuples(st.just("person"), st.integers(0, 20)),
    st.tuples(st.just("agent"), st.integers(0, 20)),
    st.tuples(st.sampled_from(["undo", "rotate_seats", "resign", "step"]), st.just(0)),
    st.tuples(st.just("go_to_ply"), st.integers(0, 12)),
    st.tuples(st.just("set_paused"), st.booleans()),
)


@settings(max_examples=60)
@given(st.lists(actions, max_size=40))
def test_any_sequence_of_actions_leaves_a_valid_game(actions):
    live = live_game("nogo(size=3)")
    for action, value in actions:
        with suppress(UsageError):
            if action == "person":
                player = (live.position.players_to_move or (0,))[0]
                legal = live.position.legal_moves_of(player) or ("A1",)
                live.play_person_move(player, legal[value % len(legal)], live.shown_ply)
            elif action == "agent":
                player = live.agent_to_move()
                if player is not None:
                    legal = live.position.legal_moves_of(player)
                    live.play_agent_move(
                        player, legal[value % len(legal)], MoveEvaluation(player, 0.5, 1)
                    )
            elif action in ("go_to_ply", "set_paused"):
                getattr(live, action)(value)
            else:
                getattr(live, action)()
        state = state_message(live)
        assert len(live.positions) == len(live.plies) + 1
        assert 0 <= live.shown_ply <= len(live.plies)
        line = [ply.move for ply in live.plies]
        assert live.game.start().play_moves(line) == live.positions[-1]
        assert live.agent_to_move() is None or live.shows_last_ply
        assert set(state["persons_to_move"]) <= set(live.person_seats)
        assert (live.scores is not None) == live.is_over


def dice_game(seed=3, seats=("person", "uct")):
    live = LiveGame(dice.race(), "race", LIMITS, seed=seed)
    live.assign_seats(list(seats), Budget(100))
    return live


def test_dice_are_rolled_as_soon_as_a_move_is_played():
    live = dice_game()
    live.play_person_move(0, "bold", 0)
    assert live.plies[0].move == "bold"
    assert live.plies[1].move in ("0", "4")
    assert live.agent_to_move() == 1
    play_agent(live)
    assert len(live.plies) == 4
    assert live.persons_to_move() == [0]
    moves = [ply.move for ply in live.plies]
    again = dice_game()
    again.replay(moves)
    assert [ply.move for ply in again.plies] == moves
    assert again.position == live.position
    state = json.loads(json.dumps(state_message(live)))
    assert state["plies"][1]["players"] == []
    live.undo()
    assert live.persons_to_move() == [0]
    assert live.plies == []
