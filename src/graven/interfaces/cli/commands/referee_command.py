"""`graven referee`: run matches over the GGP protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import Json, Seed, check_output_file
from graven.interfaces.cli.console import (
    err,
    finish_experiment,
    format_duration,
    out,
    print_json,
    run_with_progress,
)

if TYPE_CHECKING:
    import threading

    from graven.interfaces.ggp.match_report import MatchReport

MAX_MATCHES = 10_000


def referee(
    sheet: Annotated[
        str,
        typer.Argument(metavar="SHEET", help="A file with rules, or gdl(sheet=NAME)."),
    ],
    player: Annotated[
        list[str],
        typer.Option(
            help="A player: http://HOST:PORT, an agent, or default; give one for each role.",
            metavar="URL|SPEC",
        ),
    ],
    start_clock: Annotated[
        float, typer.Option(help="Seconds for preparation.", metavar="S", min=0.1, max=86_400)
    ] = 30.0,
    play_clock: Annotated[
        float, typer.Option(help="Seconds per move.", metavar="S", min=0.1, max=86_400)
    ] = 10.0,
    games: Annotated[int, typer.Option(help="The number of matches.", metavar="N")] = 1,
    scramble: Annotated[
        bool, typer.Option("--scramble", help="Replace the words of the rules, as GGP servers do.")
    ] = False,
    record: Annotated[
        str | None,
        typer.Option(help="Write the matches to this file, as traces.", metavar="FILE"),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Run matches between GGP players.

    Players at an address answer over HTTP, agents run in this process. A late, illegal or missing
    answer is replaced by a random legal move, and counted.

    \b
    Examples:
      graven referee "gdl(sheet=connect5)" --player http://localhost:9147 --player "uct(c=0.7)"
      graven referee puzzle.kif --player default --start-clock 30 --play-clock 5
      graven referee rules.kif --player grave --player http://localhost:9147 --play-clock 5 --json
    """
    from graven.core.errors import UsageError
    from graven.core.rng import derive
    from graven.interfaces.ggp.match_seats import AgentSeat, HttpSeat, Seat
    from graven.interfaces.ggp.referee import MatchTerms, Referee, check_seats
    from graven.interfaces.ggp.rule_scrambling import Scrambler
    from graven.sources.gdl_text import is_gdl, rules_text
    from graven.sources.load import load_game

    if not 1 <= games <= MAX_MATCHES:
        raise UsageError(f"--games must be from 1 to {MAX_MATCHES:,}, got {games}.")
    if not is_gdl(sheet):
        raise UsageError(f"{sheet!r} is not a rulesheet: name a .kif file, or gdl(sheet=NAME).")
    if record is not None:
        check_output_file(record)
    rules = rules_text(sheet)
    game = load_game(sheet)
    scrambler = Scrambler(rules, seed) if scramble else None
    seats: list[Seat] = [
        HttpSeat(text, scrambler) if "://" in text else AgentSeat(text, derive(seed, number))
        for number, text in enumerate(player)
    ]
    check_seats(game, seats)
    reports: list[MatchReport] = []

    def work(stop: threading.Event) -> None:
        for seat in seats:
            if isinstance(seat, AgentSeat):
                seat.warm_up(game)
        for number in range(games):
            if stop.is_set():
                return
            match_seed = derive(seed, number)
            terms = MatchTerms(rules, start_clock, play_clock, match_seed)
            name = f"graven.{match_seed % 10**9}.{number}"
            reports.append(Referee(game, terms, seats, name).run(stop.is_set))

    def progress_line(elapsed: float) -> str:
        return f"match {len(reports) + 1} of {games}, {format_duration(elapsed)}"

    _, interrupted = run_with_progress(work, progress_line)
    if record is not None:
        _write_traces(record, game.spec, reports)
    if json:
        print_json({"game": game.spec, "matches": [report.to_dict() for report in reports]})
    else:
        _print_reports(game.spec, reports)
    finish_experiment([], interrupted and len(reports) < games)


def _write_traces(file: str, game: str, reports: list[MatchReport]) -> None:
    import json

    from graven.core.file_replacement import replace_text

    lines = [json.dumps(report.trace(game, number)) for number, report in enumerate(reports)]
    replace_text(file, "".join(line + "\n" for line in lines))


def _print_reports(game: str, reports: list[MatchReport]) -> None:
    from rich.table import Table

    console = out()
    console.print(game, markup=False, style="bold", soft_wrap=True)
    for report in reports:
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
        for heading in ("role", "player", "goal", "late", "illegal", "missing"):
            table.add_column(heading, justify="left" if heading in ("role", "player") else "right")
        for seat in report.seats:
            goal = "-" if seat.goal is None else str(seat.goal)
            table.add_row(seat.role, seat.player, goal, *map(str, seat.faults.values()))
        console.print(table)
        for seat in report.seats:
            if seat.first_fault:
                err().print(f"{seat.role}: {seat.first_fault}", markup=False, soft_wrap=True)
        state = "" if report.terminal else ", not finished"
        console.print(f"{len(report.steps)} steps in {format_duration(report.seconds)}{state}")
