"""Worker processes that crash, games that cannot be played, and stopping."""

from __future__ import annotations

import multiprocessing
import threading

import pytest

from graven.core.errors import GravenError, UsageError
from graven.lab.experiments import experiment
from graven.lab.experiments.experiment import Place, Task, play_missing
from graven.lab.experiments.job import Failure, GameJob
from graven.lab.experiments.pairing import make_cell
from graven.lab.experiments.processes import play_apart, play_here
from graven.lab.store.store import Store
from graven.search.budget import Budget
from tests.lab import crashing

CELL = make_cell("nogo(size=3)", "uct", "rave", Budget(20))
JOBS = [GameJob(CELL, index) for index in range(12)]


def test_every_job_is_played_once():
    played = list(play_apart(JOBS, 2, play=crashing.made_up))
    assert sorted(job.index for job, _ in played) == list(range(12))
    assert len({ended.machine for _, ended in played}) == 2, "both processes took part"


def test_a_short_experiment_starts_no_more_processes_than_it_has_games():
    played = play_apart(JOBS[:2], 8, play=crashing.slowly)
    next(played)
    assert len(multiprocessing.active_children()) == 2
    assert len(list(played)) == 1


def test_the_game_of_a_worker_that_died_is_played_again(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAVEN_TEST_MARK", str(tmp_path / "died"))
    played = list(play_apart(JOBS, 2, play=crashing.die_once))
    assert (tmp_path / "died").exists()
    assert sorted(ended.index for _, ended in played) == list(range(12))


def test_a_worker_killed_from_outside_costs_nothing():
    played = []
    for number, (job, _) in enumerate(play_apart(JOBS, 2, play=crashing.slowly)):
        played.append(job.index)
        if number == 3:
            multiprocessing.active_children()[0].kill()
    assert sorted(played) == list(range(12))


@pytest.mark.parametrize(
    ("play", "reason"),
    [(crashing.die_at_three, "exit code 9"), (crashing.raise_at_three, "ZeroDivisionError: three")],
)
def test_a_game_that_fails_three_times_is_reported_with_its_seed(play, reason):
    ended = {job.index: ended for job, ended in play_apart(JOBS, 2, play=play)}
    assert sorted(ended) == list(range(12))
    failures = [each for each in ended.values() if isinstance(each, Failure)]
    assert [failure.job.index for failure in failures] == [3]
    assert reason in str(failures[0])
    assert f"seed {JOBS[3].seed}" in str(failures[0])


def test_a_persons_mistake_is_said_at_once():
    with pytest.raises(UsageError, match="mistake"):
        list(play_apart(JOBS, 2, play=crashing.refuse))


def test_here_and_apart_give_the_same_results():
    here = {job.index: ended for job, ended in play_here(JOBS)}
    apart = {job.index: ended for job, ended in play_apart(JOBS, 2)}
    assert here.keys() == apart.keys()
    for index, ended in here.items():
        assert (ended.moves, ended.seed, ended.scores) == (
            apart[index].moves,
            apart[index].seed,
            apart[index].scores,
        )


def test_stopping_ends_all_workers():
    stop = threading.Event()
    endless = (GameJob(CELL, index) for index in range(10**6))
    for number, _ in enumerate(play_apart(endless, 2, stop, play=crashing.slowly)):
        if number == 4:
            stop.set()
    assert not multiprocessing.active_children()


def test_a_run_in_which_nothing_works_is_given_up(monkeypatch):
    def nothing_works(jobs, count, place, stop, game):
        return ((job, Failure(job, "no reason")) for job in jobs)

    monkeypatch.setattr(experiment, "_played", nothing_works)
    with Store() as store, pytest.raises(GravenError, match="10 games could not be played"):
        play_missing([Task(CELL, 50)], store)


def test_workers_and_a_cluster_exclude_each_other():
    with pytest.raises(UsageError, match="not both"):
        Place(workers=2, cluster="tcp://localhost:8786")
