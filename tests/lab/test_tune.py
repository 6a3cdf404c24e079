"""Tuning finds better settings, prunes hopeless ones, resumes, and validates with new games."""

from __future__ import annotations

import threading

import pytest

from graven.core.errors import UsageError
from graven.lab.experiments.tune import tune
from graven.lab.experiments.tune_template import ParameterRange, parse_template

pytest.importorskip("optuna", reason="the extra 'tune' (Optuna) is not installed")

GAME = "knightthrough(size=5)"
# How many playouts an agent has decides everything, so the answer is known.
SPEC, AGAINST = "uct(playouts=?[2..100])", "uct(playouts=20)"
QUICK = {"trials": 6, "games": 20, "workers": 1, "seed": 3}


def test_templates_have_default_ranges():
    template = parse_template("grave(ref=?,bias=?)")
    assert template.ranges == {
        "ref": ParameterRange(1, 1000, log=True, whole=True),
        "bias": ParameterRange(1e-15, 1e-1, log=True),
    }
    assert template.agent({"ref": 50, "bias": 1e-4}) == "grave(ref=50,bias=0.0001)"


def test_templates_take_ranges_and_choices():
    template = parse_template("uct(c=?[0.1 .. 0.9], final_move=?, reuse_tree=?)")
    assert template.ranges["c"] == ParameterRange(0.1, 0.9)
    assert template.ranges["final_move"].choices == ("visits", "mean")
    assert template.ranges["reuse_tree"].choices == (False, True)
    assert parse_template("uct(playouts=?[10..1000])").ranges["playouts"] == ParameterRange(
        10, 1000, True, True
    )


WRONG = {
    "uct": "parameter=\\?",
    "uct(?)": "parameter=\\?",
    "uct(c=?[1])": "parameter=\\?",
    "uct(c=?[2..1])": "not a range",
    "uct(c=?[a..b])": "not a range",
    "uct(d=?)": "unknown parameter of uct",
    "utc(c=?)": "unknown policy",
    "uct(memory_mib=?)": "no default range",
    "uct(c=?,c=?)": "twice",
    "uct(c=?)+unifrom": "Did you mean 'uniform'",
    "uct(c=?[-5..-1])": "at least 0",
    "u" * 2000: "at most 1000",
}


@pytest.mark.parametrize("text", WRONG)
def test_invalid_templates_are_refused(text):
    with pytest.raises(UsageError, match=WRONG[text]):
        parse_template(text)


def test_it_finds_the_stronger_setting_and_validates_it_with_other_games():
    result = tune(GAME, SPEC, AGAINST, **QUICK)
    assert len(result.trials) == 6
    assert result.best.score.win_rate > 0.5
    assert result.validation.games == 40
    assert result.pairing.seed != 3
    assert result.finished
    values = result.to_dict()
    assert values["best"] == result.best.agent
    assert values["validation"]["seed"] == result.pairing.seed


def test_hopeless_trials_are_pruned():
    result = tune(GAME, "uct(playouts=?[2..200])", AGAINST, **{**QUICK, "games": 60, "trials": 10})
    pruned = [trial for trial in result.trials if trial.pruned]
    assert pruned
    for trial in pruned:
        assert trial.score.games < 60
    assert not result.best.pruned
    assert result.best.score.games == 60


def test_a_tuning_resumes_where_it_was_stopped(tmp_path):
    db = tmp_path / "a.db"
    stop = threading.Event()

    def progress(state):
        if state.trials == 3:
            stop.set()

    part = tune(GAME, SPEC, AGAINST, store=db, progress=progress, stop=stop, **QUICK)
    assert len(part.trials) == 3
    assert not part.finished
    assert (tmp_path / "a-tune.db").exists()
    whole = tune(GAME, SPEC, AGAINST, store=db, **QUICK)
    assert [trial.agent for trial in whole.trials[:3]] == [trial.agent for trial in part.trials]
    assert [trial.score for trial in whole.trials[:3]] == [trial.score for trial in part.trials]
    assert len(whole.trials) == 6
    assert whole.finished
    again = tune(GAME, SPEC, AGAINST, store=db, **QUICK)
    assert again.trials == whole.trials
    assert again.validation == whole.validation


def test_an_interrupted_trial_is_resumed(tmp_path):
    from graven.lab.store.store import Store

    stop = threading.Event()
    with Store(tmp_path / "a.db") as store:
        original_add = store.add

        def add(*arguments):
            # Ctrl-C in the middle of the third trial.
            if store.summaries() and sum(each.games for each in store.summaries()) == 50:
                stop.set()
            return original_add(*arguments)

        store.add = add
        part = tune(GAME, SPEC, AGAINST, store=store, stop=stop, **QUICK)
        store.add = original_add
        assert len(part.trials) == 2
        begun = store.summaries()[-1].pairing.sides()[0]
    whole = tune(GAME, SPEC, AGAINST, store=tmp_path / "a.db", **QUICK)
    assert whole.trials[2].agent == begun
    calm = tune(GAME, SPEC, AGAINST, store=tmp_path / "b.db", **QUICK)
    assert [trial.agent for trial in whole.trials] == [trial.agent for trial in calm.trials]


def test_too_many_trials_are_refused():
    with pytest.raises(UsageError, match="from 1 to 10,000 trials"):
        tune(GAME, SPEC, AGAINST, **{**QUICK, "trials": 0})
