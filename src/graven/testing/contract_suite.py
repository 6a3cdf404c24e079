"""The game contract, sentence by sentence, and random games that put a game to the test.

Every sentence is a small function named for what it states. It gets a `Trial` and a position, or
the record of a whole game, and blames the function that breaks it. The three lists at the end
are the contract's table of contents. The sentences about `key` are in `keys`,
those about `many` in `playouts`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

from graven.core.contract import SIMULTANEOUS, TERMINAL
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.rng import derive
from graven.testing.batch_checks import many_is_fair, many_play_by_the_rules
from graven.testing.contract_trial import Record, Trial, random_joint
from graven.testing.fairness import surprise
from graven.testing.key_checks import (
    orders_of_moves_share_a_key,
    positions_that_look_alike_have_one_key,
    positions_with_one_key_go_on_alike,
)
from graven.testing.probe import Moment, Probe

GARBAGE = 0x5A5A_5A5A_5A5A_5A5A
FEATURES_TRIED = 12
CODES_TRIED = 12
DRAWS_PER_MOVE = 200
# A fair `sample` is blamed about once in a million positions.
UNFAIR = 1e-6


def check_game(
    game: Game, games: int = 10, seed: int = 0, constant_sum: float | None = None
) -> None:
    """Raise a ContractError at the first sentence of the contract that `game` breaks.

    Plays `games` random games, always the same ones for a `seed`. `constant_sum`, if given, is
    what the players' results add up to at the end of every game: 1 where one side wins.
    """
    if not isinstance(game, Game):
        raise UsageError(
            f"{game!r} is no game: make one first, as in gv.check_game(gv.game('hex')) or "
            "gv.check_game(gv.from_class(MyClass))."
        )
    probe = Probe(game, derive(seed, games))
    trial = Trial(probe, random.Random(seed), constant_sum)
    tables = game.constants.tobytes()
    start_sets_the_whole_state(trial)
    for _ in range(games):
        record = random_game(trial)
        if game.constants.tobytes() != tables:
            probe.report("something wrote into `tables`, which all positions share", ())
        for sentence in OVER_A_WHOLE_GAME:
            sentence(trial, record)


def random_game(trial: Trial) -> Record:
    """Play to the end, and hold every position on the way to the contract."""
    probe, record = trial.probe, Record()
    moment = probe.start()
    while True:
        for sentence in IN_EVERY_POSITION:
            sentence(trial, moment)
        record.moments.append(moment.copy())
        record.views.append(probe.view(moment))
        if probe.turn(moment) == TERMINAL:
            for sentence in WHEN_IT_IS_OVER:
                sentence(trial, moment)
            return record
        if len(record.joints) == trial.game.max_plies:
            probe.fail(
                "turn", f"lets the game go on, but `plies` is {trial.game.max_plies}", moment.path
            )
        record.joints.append(random_joint(trial, moment))
        moment = probe.play(moment, record.joints[-1])


# In every position.


def turn_names_who_moves(trial: Trial, moment: Moment) -> None:
    """`turn` returns a player, TERMINAL or SIMULTANEOUS."""
    turn, players = trial.probe.turn(moment), trial.game.players
    if turn not in (TERMINAL, SIMULTANEOUS) and not 0 <= turn < players:
        trial.probe.fail(
            "turn",
            f"returned {turn}: neither a player, from 0 to {players - 1}, "
            f"nor TERMINAL ({TERMINAL}) nor SIMULTANEOUS ({SIMULTANEOUS})",
            moment.path,
        )


def whoever_moves_has_distinct_legal_moves(trial: Trial, moment: Moment) -> None:
    """`legal` writes at least 1 and at most `moves` codes from 0 to `codes` - 1, none twice."""
    probe, game = trial.probe, trial.game
    for player in probe.choosers(probe.turn(moment)):
        count, buffer = probe.legal(moment, player)
        who = f"for player {player}"
        if count < 1:
            probe.fail("legal", f"returned {count} {who}, whose turn it is", moment.path)
        if count > game.max_moves:
            probe.fail(
                "legal", f"returned {count} {who}, but `moves` is {game.max_moves}", moment.path
            )
        codes = [int(code) for code in buffer[:count]]
        for code, times in Counter(codes).items():
            if not 0 <= code < game.num_codes:
                probe.fail(
                    "legal",
                    f"wrote move {code} {who}, but codes go from 0 to {game.num_codes - 1}",
                    moment.path,
                )
            if times > 1:
                probe.fail("legal", f"wrote move {code} {times} times {who}", moment.path)


def a_text_stands_for_one_move(trial: Trial, moment: Moment) -> None:
    """`show_move` writes every legal move differently, so that its text can be played."""
    probe, game = trial.probe, trial.game
    for player in probe.choosers(probe.turn(moment)):
        for code in probe.moves(moment, player):
            text = probe.text(player, code, moment.path)
            try:
                found = game.move_code(player, text)
            except Exception as error:
                probe.fail("show_move", f"raised {error!r} for some code", moment.path)
            if found != code:
                probe.fail(
                    "show_move",
                    f"writes both move {code} and move {found} as {text!r}"
                    if found is not None and probe.text(player, found, moment.path) == text
                    else f"writes move {code} as {text!r}, which is read as another one: "
                    "large and small letters are the same",
                    moment.path,
                )


def chosen_moves_are_legal(trial: Trial, moment: Moment) -> None:
    """`sensible` and `candidates` each write at least one of the moves that `legal` writes, none
    twice."""
    probe = trial.probe
    functions = trial.game.functions
    for name, function, listed in (
        ("playout_moves", functions.playout_moves, probe.sensible),
        ("tree_moves", functions.tree_moves, probe.candidates),
    ):
        if function is None:
            continue
        for player in probe.choosers(probe.turn(moment)):
            count, buffer = listed(moment, player)
            codes = [int(code) for code in buffer[: max(0, count)]]
            legal = set(probe.moves(moment, player))
            if not codes or len(set(codes)) < count or not set(codes) <= legal:
                probe.fail(
                    name,
                    f"wrote {codes} for player {player}: not one or more legal moves, each once",
                    moment.path,
                )


def sample_draws_a_legal_move(trial: Trial, moment: Moment) -> None:
    """`sample` and the game's own playouts return one of the moves that `legal` writes."""
    probe = trial.probe
    for player in probe.choosers(probe.turn(moment)):
        moves = probe.moves(moment, player)
        for playout in (None, *trial.game.playouts):
            move = probe.sample(moment, player, playout)
            if move not in moves:
                probe.fail(
                    playout or "sample",
                    f"returned {move} for player {player}, which is not legal",
                    moment.path,
                )


def features_are_in_range(trial: Trial, moment: Moment) -> None:
    """`feature` returns a code from 0 to `features` - 1 for every legal move."""
    probe, limit = trial.probe, trial.probe.rules.num_features
    for player in probe.choosers(probe.turn(moment)):
        moves = probe.moves(moment, player)
        for move in trial.chance.sample(moves, min(len(moves), FEATURES_TRIED)):
            code = probe.feature(moment, player, move)
            if not 0 <= code < limit:
                probe.fail(
                    "feature",
                    f"returned {code} for move {probe.text(player, move, moment.path)}, "
                    f"but features go from 0 to {limit - 1}",
                    moment.path,
                )


def allowed_agrees_with_sensible(trial: Trial, moment: Moment) -> None:
    """`allowed` says yes to the sensible moves, and to no others."""
    probe, codes = trial.probe, range(trial.game.num_codes)
    for player in probe.choosers(probe.turn(moment)):
        moves = probe.sensible_moves(moment, player)
        tried = trial.chance.sample(codes, min(len(codes), CODES_TRIED))
        for move in (*tried, trial.chance.choice(moves)):
            if probe.allowed(moment, player, move) != (move in moves):
                probe.fail(
                    "allowed",
                    f"and `sensible` disagree about move {probe.text(player, move, moment.path)}",
                    moment.path,
                )


def coded_agrees_with_sensible_and_feature(trial: Trial, moment: Moment) -> None:
    """`coded` lists the sensible moves, each with its feature code."""
    probe = trial.probe
    if trial.game.functions.playout_moves_with_features is None:
        return
    for player in probe.choosers(probe.turn(moment)):
        moves, codes = probe.coded(moment, player)
        if tuple(sorted(moves)) != probe.sensible_moves(moment, player):
            fault = f"and `sensible` list different moves of player {player}"
            probe.fail("coded", fault, moment.path)
        for move, code in trial.chance.sample([*zip(moves, codes, strict=True)], 1):
            if code != probe.feature(moment, player, move):
                text = probe.text(player, move, moment.path)
                probe.fail("coded", f"and `feature` have different codes for {text}", moment.path)


def play_leads_to_one_position(trial: Trial, moment: Moment) -> None:
    """`play` throws no dice: the same moves in the same position lead to the same one."""
    probe = trial.probe
    choosers = probe.choosers(probe.turn(moment))
    if not choosers:
        return
    joint = {player: probe.moves(moment, player)[0] for player in choosers}
    once, again = probe.play(moment, joint), probe.play(moment, joint)
    if probe.view(once) != probe.view(again) or probe.key(once) != probe.key(again):
        fault = f"led to two different positions with {probe.joint_text(joint)}: rules have no dice"
        probe.fail("play", fault, moment.path)


def play_heeds_only_those_who_move(trial: Trial, moment: Moment) -> None:
    """`play` does the same whatever `joint` says for players who do not move."""
    probe = trial.probe
    if probe.turn(moment) in (TERMINAL, SIMULTANEOUS):
        return
    joint = random_joint(trial, moment)
    one, other = (probe.play(moment, joint, idle) for idle in (-1, trial.game.num_codes - 1))
    if probe.view(one) != probe.view(other) or probe.key(one) != probe.key(other):
        probe.fail("play", "heeds the move of a player whose turn it is not", one.path)


def looking_changes_nothing(trial: Trial, moment: Moment) -> None:
    """Whatever only looks at a position leaves it as it was: all functions but `start` and `play`.

    They may rearrange its words, which the rest of the game then goes on with.
    """
    probe = trial.probe
    for function in _looks(trial, moment):
        # The call has just been made on a copy; `after` is what it left of it.
        touched = Moment(probe.after, moment.path)
        if probe.key(touched) != probe.key(moment):
            probe.fail(function, "changes the position: its key is another", moment.path)
        before, after = probe.view(moment), probe.view(touched)
        if before != after:
            probe.fail(function, f"changes the position: {after.unlike(before)}", moment.path)
        moment.state[:] = touched.state


def _looks(trial: Trial, moment: Moment) -> Iterator[str]:
    """Call the functions that must not change the position, and name each after its call."""
    probe = trial.probe
    turn = probe.turn(moment)
    yield "turn"
    probe.key(moment)
    yield "key"
    if turn == TERMINAL:
        probe.scores(moment)
        yield "scores"
    for player in probe.choosers(turn):
        probe.legal(moment, player)
        yield "legal"
        probe.sensible(moment, player)
        yield "sensible"
        probe.candidates(moment, player)
        yield "candidates"
        probe.feature(moment, player, trial.chance.choice(probe.moves(moment, player)))
        yield "feature"
        probe.allowed(moment, player, trial.chance.randrange(trial.game.num_codes))
        yield "allowed"
        for playout in (None, *trial.game.playouts):
            probe.sample(moment, player, playout)
            yield playout or "sample"


# When it is over.


def results_go_from_0_to_1(trial: Trial, moment: Moment) -> None:
    """`scores` writes a result from 0 to 1 for every player, and the sum that was stated."""
    probe = trial.probe
    results = [float(result) for result in probe.scores(moment)]
    for player, result in enumerate(results):
        if not 0.0 <= result <= 1.0:
            probe.fail(
                "scores",
                f"gave player {player} {result} instead of a result from 0 to 1",
                moment.path,
            )
    total = trial.constant_sum
    if total is not None and abs(sum(results) - total) > 1e-9:
        probe.fail("scores", f"gave {results}, which do not add up to {total:g}", moment.path)


def the_points_are_a_number(trial: Trial, moment: Moment) -> None:
    """`points`, where a game has them, are a number."""
    if trial.game.points is None:
        return
    try:
        float(trial.game.points(moment.state.copy()))
    except Exception as error:
        trial.probe.fail("points", f"gave no number: {error!r}", moment.path)


def the_picture_is_svg(trial: Trial, moment: Moment) -> None:
    """`svg`, where a game has one, draws well-formed SVG."""
    if trial.game.svg is None:
        return
    try:
        root = ElementTree.fromstring(trial.game.svg(moment.state.copy()))
    except Exception as error:
        trial.probe.fail("svg", f"drew no picture: {error!r}", moment.path)
    if not root.tag.endswith("svg"):
        trial.probe.fail("svg", f"drew <{root.tag}> instead of <svg>", moment.path)


# Over a whole game.


def start_sets_the_whole_state(trial: Trial) -> None:
    """`start` sets the same position whatever the state's words held before."""
    probe = trial.probe
    clean = probe.start()
    for garbage in (GARBAGE, -1):
        dirty = probe.start(garbage)
        if probe.view(dirty) != probe.view(clean) or probe.key(dirty) != probe.key(clean):
            probe.fail("start", "keeps something of what the state held before", ())


def looking_leaves_no_trace(trial: Trial, record: Record) -> None:
    """A game in which nothing but `play` was called goes the same way."""
    moment, difference = _replay(trial, record, garbage=0)
    if difference:
        trial.probe.report(
            "`turn`, `legal`, `candidates`, `sensible`, `sample`, `feature` or `key` changed the "
            f"state on the way: with `play` alone {difference}",
            moment.path,
        )


def start_leaves_no_trace(trial: Trial, record: Record) -> None:
    """A game that starts in words that held something else goes the same way."""
    moment, difference = _replay(trial, record, GARBAGE)
    if difference:
        trial.probe.fail(
            "start",
            f"keeps something of what the state held before: later {difference}",
            moment.path,
        )


def _replay(trial: Trial, record: Record, garbage: int) -> tuple[Moment, str]:
    """Play the game again, up to its end or to the first difference, and say what it is."""
    probe = trial.probe
    moment, difference = probe.start(garbage), ""
    for ply, expected in enumerate(record.views):
        view = probe.view(moment)
        if view != expected:
            difference = view.unlike(expected)
            break
        if ply < len(record.joints):
            moment = probe.play(moment, record.joints[ply])
    return moment, difference


def sample_is_fair(trial: Trial, record: Record) -> None:
    """`sample` draws every sensible move equally often: tried in one position of the game."""
    probe = trial.probe
    if trial.game.functions.sample is None or not record.joints:
        return
    ply = trial.chance.randrange(len(record.joints))
    moment = record.moments[ply]
    player = trial.chance.choice(probe.choosers(record.views[ply].turn))
    count, buffer = probe.sensible(moment, player)
    seed = trial.chance.getrandbits(64)
    chance = surprise(
        probe.rules, moment.state, player, buffer[:count], DRAWS_PER_MOVE * count, seed
    )
    if chance < UNFAIR:
        probe.fail("sample", "does not draw all moves equally often", moment.path)


IN_EVERY_POSITION = (
    turn_names_who_moves,
    whoever_moves_has_distinct_legal_moves,
    a_text_stands_for_one_move,
    chosen_moves_are_legal,
    sample_draws_a_legal_move,
    features_are_in_range,
    allowed_agrees_with_sensible,
    coded_agrees_with_sensible_and_feature,
    play_leads_to_one_position,
    play_heeds_only_those_who_move,
    looking_changes_nothing,
    positions_with_one_key_go_on_alike,
    positions_that_look_alike_have_one_key,
)
WHEN_IT_IS_OVER = (
    results_go_from_0_to_1,
    the_points_are_a_number,
    the_picture_is_svg,
)
OVER_A_WHOLE_GAME = (
    looking_leaves_no_trace,
    start_leaves_no_trace,
    orders_of_moves_share_a_key,
    sample_is_fair,
    many_play_by_the_rules,
    many_is_fair,
)
