"""The contract's sentences about `key`: one key, one position, and the other way round."""

from __future__ import annotations

from graven.core.contract import TERMINAL
from graven.testing.contract_trial import Record, Trial, random_joint
from graven.testing.probe import Moment, Probe, moves_so_far

TRIES = 3


def positions_with_one_key_go_on_alike(trial: Trial, moment: Moment) -> None:
    """`key` tells positions apart that differ in who moves, in the moves, or later on.

    They may look different: a key need not heed what makes no difference to the rest of the game.
    """
    probe = trial.probe
    view, key = probe.view(moment), probe.key(moment)
    known, twin = trial.by_key.setdefault(key, (view, moment.copy()))
    looks_alike = known.board == view.board
    if trial.game.render is None:
        looks_alike = bool((twin.state == moment.state).all())
    difference = ""
    if not known.plays_like(view):
        difference = view.unlike(known)
    elif not looks_alike:
        difference = _difference_later(trial, twin, moment)
    if difference:
        probe.fail(
            "key",
            f"is the same as {moves_so_far(twin.path)}, but the positions differ: {difference}",
            moment.path,
        )


def _difference_later(trial: Trial, one: Moment, other: Moment) -> str:
    """Play the same random moves from two positions until something differs; "" if nothing does."""
    probe, plies = trial.probe, len(other.path)
    while True:
        here, there = probe.view(one), probe.view(other)
        further = f", after further {' '.join(other.path[plies:])}"
        if not here.plays_like(there):
            return there.unlike(here) + further
        if here.turn == TERMINAL or len(other.path) > trial.game.max_plies:
            return ""
        joint = random_joint(trial, one)
        one, other = probe.play(one, joint), probe.play(other, joint)


def positions_that_look_alike_have_one_key(trial: Trial, moment: Moment) -> None:
    """`key` is equal for equal positions, however they came about (in games with `show`).

    A text may leave something out (a ko, say): positions count as equal if they also go on alike.
    """
    if trial.game.render is None or trial.game.history_dependent:
        return
    probe = trial.probe
    key = probe.key(moment)
    known, twin = trial.by_view.setdefault(probe.view(moment), (key, moment.copy()))
    if known != key and not any(_difference_later(trial, twin, moment) for _ in range(TRIES)):
        where = moves_so_far(twin.path)
        said = "what `show` does not show counts as no difference"
        probe.fail("key", f"differs from that of the same position {where}: {said}", moment.path)


def orders_of_moves_share_a_key(trial: Trial, record: Record) -> None:
    """Where two moves of a player can change places, `key` does not tell which came first."""
    probe = trial.probe
    for first, joint in enumerate(record.joints):
        for last in (first + 1, first + 2):
            if last >= len(record.joints) or record.joints[last].keys() != joint.keys():
                continue
            line = record.joints[first : last + 1]
            line[0], line[-1] = line[-1], line[0]
            moment: Moment | None = record.moments[first]
            for swapped in line:
                moment = _play_if_legal(probe, moment, swapped) if moment else None
            if moment:
                positions_with_one_key_go_on_alike(trial, moment)
                positions_that_look_alike_have_one_key(trial, moment)


def _play_if_legal(probe: Probe, moment: Moment, joint: dict[int, int]) -> Moment | None:
    if set(probe.choosers(probe.turn(moment))) != joint.keys():
        return None
    if any(move not in probe.moves(moment, player) for player, move in joint.items()):
        return None
    return probe.play(moment, joint)
