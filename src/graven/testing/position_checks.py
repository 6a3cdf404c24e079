"""The contract's requirements on single positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL
from graven.core.errors import ContractError
from graven.core.rule_probe import ProbedPosition
from graven.testing.contract_trial import GameTrial, random_joint

FEATURES_TRIED = 12
CODES_TRIED = 12


# In every position.


def turn_returns_a_player(trial: GameTrial, position: ProbedPosition) -> None:
    """`turn` returns a player, TERMINAL, SIMULTANEOUS or CHANCE."""
    turn, players = trial.probe.turn(position), trial.game.players
    if turn not in (TERMINAL, SIMULTANEOUS, CHANCE) and not 0 <= turn < players:
        trial.probe.fail(
            "turn",
            f"returned {turn}: neither a player, from 0 to {players - 1}, "
            f"nor TERMINAL ({TERMINAL}) nor SIMULTANEOUS ({SIMULTANEOUS}) nor CHANCE ({CHANCE})",
            position.path,
        )


def legal_writes_distinct_codes(trial: GameTrial, position: ProbedPosition) -> None:
    """`legal` writes 1 to `max_moves` distinct codes from 0 to `num_codes` - 1."""
    probe, game = trial.probe, trial.game
    for player in probe.players_to_move(probe.turn(position)):
        count, buffer = probe.legal(position, player)
        who = f"for player {player}"
        if count < 1:
            probe.fail("legal", f"returned {count} {who}, whose turn it is", position.path)
        if count > game.max_moves:
            fault = f"returned {count} {who}, but `max_moves` is {game.max_moves}"
            probe.fail("legal", fault, position.path)
        codes = [int(code) for code in buffer[:count]]
        for code, times in Counter(codes).items():
            if not 0 <= code < game.num_codes:
                probe.fail(
                    "legal",
                    f"wrote move {code} {who}, but codes go from 0 to {game.num_codes - 1}",
                    position.path,
                )
            if times > 1:
                probe.fail("legal", f"wrote move {code} {times} times {who}", position.path)


def move_texts_are_distinct(trial: GameTrial, position: ProbedPosition) -> None:
    """`format_move` returns a different text for every legal move, so that it can be parsed."""
    probe, game = trial.probe, trial.game
    for player in probe.players_to_move(probe.turn(position)):
        for code in probe.legal_codes(position, player):
            text = probe.text(player, code, position.path)
            try:
                parsed = game.move_code(player, text)
            except ContractError:
                raise
            except Exception as error:
                probe.fail("format_move", f"raised {error!r} for some code", position.path)
            if parsed == code:
                continue
            if parsed is not None and probe.text(player, parsed, position.path) == text:
                fault = f"returned {text!r} for both move {code} and move {parsed}"
            else:
                fault = (
                    f"returned {text!r} for move {code}, which is parsed as another move: upper "
                    "and lower case count as equal"
                )
            probe.fail("format_move", fault, position.path)


def selected_moves_are_legal(trial: GameTrial, position: ProbedPosition) -> None:
    """`playout_moves` and `tree_moves` each write one or more distinct legal moves."""
    probe, functions = trial.probe, trial.game.functions
    for name, function, list_moves in (
        ("playout_moves", functions.playout_moves, probe.playout_moves),
        ("tree_moves", functions.tree_moves, probe.tree_moves),
    ):
        if function is None:
            continue
        for player in probe.players_to_move(probe.turn(position)):
            count, buffer = list_moves(position, player)
            codes = [int(code) for code in buffer[: max(0, count)]]
            legal = set(probe.legal_codes(position, player))
            if not codes or len(set(codes)) < count or not set(codes) <= legal:
                probe.fail(
                    name,
                    f"wrote {codes} for player {player}: not one or more legal moves, each once",
                    position.path,
                )


def sample_returns_a_legal_move(trial: GameTrial, position: ProbedPosition) -> None:
    """`sample` and the game's `playouts` return a legal move."""
    probe = trial.probe
    for player in probe.players_to_move(probe.turn(position)):
        moves = probe.legal_codes(position, player)
        for playout in (None, *trial.game.playouts):
            move = probe.sample(position, player, playout)
            if move not in moves:
                probe.fail(
                    playout or "sample",
                    f"returned {move} for player {player}, which is not legal",
                    position.path,
                )


def features_are_in_range(trial: GameTrial, position: ProbedPosition) -> None:
    """`feature` returns a code from 0 to `num_features` - 1 for every legal move."""
    probe, limit = trial.probe, trial.probe.rules.num_features
    for player in probe.players_to_move(probe.turn(position)):
        moves = probe.legal_codes(position, player)
        for move in trial.chance.sample(moves, min(len(moves), FEATURES_TRIED)):
            code = probe.feature(position, player, move)
            if not 0 <= code < limit:
                probe.fail(
                    "feature",
                    f"returned {code} for move {probe.text(player, move, position.path)}, "
                    f"but features go from 0 to {limit - 1}",
                    position.path,
                )


def chances_are_probabilities(trial: GameTrial, position: ProbedPosition) -> None:
    """`chance` writes distinct outcomes with positive probabilities whose sum is 1."""
    if trial.probe.turn(position) == CHANCE:
        trial.probe.outcomes(position)


def priors_are_in_range(trial: GameTrial, position: ProbedPosition) -> None:
    """`prior` returns a number from 0 to 1 for every legal move."""
    probe = trial.probe
    if trial.game.functions.prior is None:
        return
    for player in probe.players_to_move(probe.turn(position)):
        for move in probe.legal_codes(position, player):
            if not 0.0 <= (prior := probe.prior(position, player, move)) <= 1.0:
                text = probe.text(player, move, position.path)
                fault = f"returned {prior} for move {text} instead of a number from 0 to 1"
                probe.fail("prior", fault, position.path)


def winning_moves_win(trial: GameTrial, position: ProbedPosition) -> None:
    """`winning_move` returns -1 or a legal move that ends the game with the score 1."""
    probe, turn = trial.probe, trial.probe.turn(position)
    if trial.game.functions.winning_move is None or turn < 0:
        return
    move = probe.winning_move(position, turn)
    if move != -1 and not _wins(trial, position, turn, move):
        fault = f"returned {move}, which is not a legal move that wins at once, nor -1"
        probe.fail("winning_move", fault, position.path)


def defences_prevent_winning_moves(trial: GameTrial, position: ProbedPosition) -> None:
    """`defence` returns -1 or a playout move after which the opponent's move wins no more."""
    probe, turn = trial.probe, trial.probe.turn(position)
    if trial.game.functions.winning_move is None or trial.game.players != 2 or turn < 0:
        return
    threat = probe.winning_move(position, 1 - turn)
    if threat == -1:
        return
    move = probe.defence(position, turn, threat)
    if move == -1:
        return
    count, moves = probe.playout_moves(position, turn)
    after = probe.play(position, {turn: move}) if move in moves[:count] else None
    if after is None or (probe.turn(after) == 1 - turn and _wins(trial, after, 1 - turn, threat)):
        fault = f"returned {move}, which does not prevent the move {threat}"
        probe.fail("defence", fault, position.path)


def _wins(trial: GameTrial, position: ProbedPosition, player: int, move: int) -> bool:
    """Return whether a move is legal and ends the game with the best score."""
    probe = trial.probe
    if move not in probe.legal_codes(position, player):
        return False
    after = probe.play(position, {player: move})
    if probe.turn(after) != TERMINAL:
        return False
    score = float(probe.scores(after)[player])
    return score == (0.0 if trial.game.misere else 1.0)


def evaluations_are_in_range(trial: GameTrial, position: ProbedPosition) -> None:
    """`evaluate` writes an expected score from 0 to 1 for every player before the end."""
    probe = trial.probe
    if trial.game.functions.evaluate is None or probe.turn(position) == TERMINAL:
        return
    for player, score in enumerate(probe.evaluate(position).tolist()):
        if not 0.0 <= score <= 1.0:
            fault = f"gave player {player} {score} instead of a score from 0 to 1"
            probe.fail("evaluate", fault, position.path)


def is_playout_move_agrees_with_playout_moves(trial: GameTrial, position: ProbedPosition) -> None:
    """`is_playout_move` is true for the playout moves and false for all others."""
    probe, codes = trial.probe, range(trial.game.num_codes)
    for player in probe.players_to_move(probe.turn(position)):
        moves = probe.playout_codes(position, player)
        tried = trial.chance.sample(codes, min(len(codes), CODES_TRIED))
        for move in (*tried, trial.chance.choice(moves)):
            if probe.is_playout_move(position, player, move) != (move in moves):
                text = probe.text(player, move, position.path)
                fault = f"and `playout_moves` disagree about move {text}"
                probe.fail("is_playout_move", fault, position.path)


def playout_moves_with_features_agree(trial: GameTrial, position: ProbedPosition) -> None:
    """`playout_moves_with_features` writes the playout moves, each with its feature code."""
    probe, name = trial.probe, "playout_moves_with_features"
    if trial.game.functions.playout_moves_with_features is None:
        return
    for player in probe.players_to_move(probe.turn(position)):
        moves, codes = probe.playout_moves_with_features(position, player)
        if tuple(sorted(moves)) != probe.playout_codes(position, player):
            fault = f"and `playout_moves` list different moves of player {player}"
            probe.fail(name, fault, position.path)
        for move, code in trial.chance.sample([*zip(moves, codes, strict=True)], 1):
            if code != probe.feature(position, player, move):
                text = probe.text(player, move, position.path)
                fault = f"and `feature` have different codes for {text}"
                probe.fail(name, fault, position.path)


def play_is_deterministic(trial: GameTrial, position: ProbedPosition) -> None:
    """`play` leads to the same position if the same moves are played again."""
    probe = trial.probe
    players = probe.players_to_move(probe.turn(position))
    if not players:
        return
    joint = {player: probe.legal_codes(position, player)[0] for player in players}
    once, again = probe.play(position, joint), probe.play(position, joint)
    if probe.view(once) != probe.view(again) or probe.key(once) != probe.key(again):
        fault = f"led to two different positions with {probe.joint_text(joint)}: it is random"
        probe.fail("play", fault, position.path)


def play_ignores_idle_players(trial: GameTrial, position: ProbedPosition) -> None:
    """`play` does not read the entries of `joint` for players who do not move."""
    probe = trial.probe
    if probe.turn(position) in (TERMINAL, SIMULTANEOUS):
        return
    joint = random_joint(trial, position)
    low, high = (probe.play(position, joint, idle) for idle in (-1, trial.game.num_codes - 1))
    if probe.view(low) != probe.view(high) or probe.key(low) != probe.key(high):
        probe.fail("play", "uses the move of a player whose turn it is not", low.path)


def queries_do_not_change_the_position(trial: GameTrial, position: ProbedPosition) -> None:
    """No function except `start` and `play` changes the position.

    They may reorder the words of the state; the rest of the game continues with these.
    """
    probe = trial.probe
    for function in _query(trial, position):
        # The call was made on a copy; `after` is the state that it left.
        queried = ProbedPosition(probe.after, position.path)
        if probe.key(queried) != probe.key(position):
            probe.fail(function, "changes the position: its key is different", position.path)
        before, after = probe.view(position), probe.view(queried)
        if before != after:
            probe.fail(function, f"changes the position: {after.difference(before)}", position.path)
        position.state[:] = queried.state


def _query(trial: GameTrial, position: ProbedPosition) -> Iterator[str]:
    """Call the functions that must not change the position; yield each name after its call."""
    probe = trial.probe
    turn = probe.turn(position)
    yield "turn"
    if turn == CHANCE:
        probe.outcomes(position)
        yield "chance"
    elif turn != TERMINAL and trial.game.functions.evaluate is not None:
        probe.evaluate(position)
        yield "evaluate"
    probe.key(position)
    yield "key"
    if turn == TERMINAL:
        probe.scores(position)
        yield "scores"
    for player in probe.players_to_move(turn):
        probe.legal(position, player)
        yield "legal"
        probe.playout_moves(position, player)
        yield "playout_moves"
        probe.tree_moves(position, player)
        yield "tree_moves"
        probe.feature(position, player, trial.chance.choice(probe.legal_codes(position, player)))
        yield "feature"
        if trial.game.functions.prior is not None:
            probe.prior(position, player, trial.chance.choice(probe.legal_codes(position, player)))
            yield "prior"
        if trial.game.functions.winning_move is not None:
            probe.winning_move(position, player)
            yield "winning_move"
        probe.is_playout_move(position, player, trial.chance.randrange(trial.game.num_codes))
        yield "is_playout_move"
        for playout in (None, *trial.game.playouts):
            probe.sample(position, player, playout)
            yield playout or "sample"


# In terminal positions.


def scores_are_in_range(trial: GameTrial, position: ProbedPosition) -> None:
    """`scores` writes a score from 0 to 1 for every player, with the declared sum."""
    probe = trial.probe
    scores = [float(score) for score in probe.scores(position)]
    for player, score in enumerate(scores):
        if not 0.0 <= score <= 1.0:
            fault = f"gave player {player} {score} instead of a score from 0 to 1"
            probe.fail("scores", fault, position.path)
    total = trial.constant_sum
    if total is not None and abs(sum(scores) - total) > 1e-9:
        probe.fail("scores", f"gave {scores}, which do not add up to {total:g}", position.path)


def points_are_a_number(trial: GameTrial, position: ProbedPosition) -> None:
    """`points`, if a game has it, returns a number."""
    if trial.game.points is None:
        return
    try:
        float(trial.game.points(position.state.copy()))
    except Exception as error:
        trial.probe.fail("points", f"returned no number: {error!r}", position.path)


def svg_is_well_formed(trial: GameTrial, position: ProbedPosition) -> None:
    """`svg`, if a game has it, returns well-formed SVG."""
    if trial.game.svg is None:
        return
    try:
        root = ElementTree.fromstring(trial.game.svg(position.state.copy()))
    except Exception as error:
        trial.probe.fail("svg", f"returned no picture: {error!r}", position.path)
    if not root.tag.endswith("svg"):
        trial.probe.fail("svg", f"returned <{root.tag}> instead of <svg>", position.path)
