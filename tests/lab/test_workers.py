"""Worker processes that crash, games that cannot be played, and stopping."""

from __future__ import annotations

import multiprocessing
import threading

import pytest

from graven.core.errors import GravenError, UsageError
from graven.lab.experiments import run
from graven.lab.experiments.job import FailedGame, GameJob
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.processes import play_in_process, play_in_workers
from graven.lab.experiments.run import PlannedGames, play_missing
from graven.lab.experiments.run_config import RunConfig
from graven.lab.store.store import Store
from graven.search.budget import Budget
from tests.lab import faulty_jobs

PAIRING = make_pairing("nogo(size=3)", "uct", "rave", Budget(20))
JOBS = [GameJob(PAIRING, index) for index in range(12)]


def test_every_job_is_played_once():
    played = list(play_in_workers(JOBS, 2, play=faulty_jobs.without_playing))
    assert sorted(job.index for job, _ in played) == list(range(12))
    assert len({ended.machine for _, ended in played}) == 2, "both processes took part"


def test_a_short_experiment_starts_no_more_processes_than_it_has_games():
    played = play_in_workers(JOBS[:2], 8, play=faulty_jobs.slowly)
    next(played)
    assert len(multiprocessing.active_children()) == 2
    assert len(list(played)) == 1


def test_the_game_of_a_worker_that_died_is_played_again(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAVEN_TEST_MARK", str(tmp_path / "died"))
    played = list(play_in_workers(JOBS, 2, play=faulty_jobs.die_once))
    assert (tmp_path / "died").exists()
    assert sorted(ended.index for _, ended in played) == list(range(12))


def test_a_worker_killed_from_outside_costs_nothing():
    played = []
    for number, (job, _) in enumerate(play_in_workers(JOBS, 2, play=faulty_jobs.slowly)):
        played.append(job.index)
        if number == 3:
            multiprocessing.active_children()[0].kill()
    assert sorted(played) == list(range(12))


@pytest.mark.parametrize(
    ("play", "reason"),
    [
        (faulty_jobs.die_at_three, "exit code 9"),
        (faulty_jobs.raise_at_three, "ZeroDivisionError: three"),
    ],
)
def test_a_game_that_fails_three_times_is_reported_with_its_seed(play, reason):
    ended = {job.index: ended for job, ended in play_in_workers(JOBS, 2, play=play)}
    assert sorted(ended) == list(range(12))
    failures = [outcome for outcome in ended.values() if isinstance(outcome, FailedGame)]
    assert [failure.job.index for failure in failures] == [3]
    assert reason in str(failures[0])
    assert f"seed {JOBS[3].seed}" in str(failures[0])


def test_a_mistake_of_the_user_is_raised_at_once():
    with pytest.raises(UsageError, match="mistake"):
        list(play_in_workers(JOBS, 2, play=faulty_jobs.refuse))


def test_this_process_and_workers_give_the_same_results():
    here = {job.index: ended for job, ended in play_in_process(JOBS)}
    apart = {job.index: ended for job, ended in play_in_workers(JOBS, 2)}
    assert here.keys() == apart.keys()
    for index, ended in here.items():
        assert (ended.moves, ended.seed, ended.scores) == (
            apart[index].moves,
            apart[index].seed,
            apart[index].scores,
        )


def test_stopping_ends_all_workers():
    stop = threading.Event()
    endless = (GameJob(PAIRING, index) for index in range(10**6))
    for number, _ in enumerate(play_in_workers(endless, 2, stop, play=faulty_jobs.slowly)):
        if number == 4:
            stop.set()
    assert not multiprocessing.active_children()


def test_a_run_in_which_every_game_fails_ends_with_an_error(monkeypatch):
    def all_fail(jobs, *_, **__):
        return ((job, FailedGame(job, "no reason")) for job in jobs)

    monkeypatch.setattr(run, "_execute", all_fail)
    with Store() as store, pytest.raises(GravenError, match="10 games could not be played"):
        play_missing([PlannedGames(PAIRING, 50)], RunConfig(store=store))
