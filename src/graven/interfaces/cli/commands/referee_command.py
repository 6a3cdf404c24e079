"""`graven referee`: a match over the GGP protocol, held by us."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import Json, Seed, check_target
from graven.interfaces.cli.console import duration, err, leave, out, print_json, watched

if TYPE_CHECKING:
    import threading

    from graven.interfaces.ggp.referee import Result

MOST_MATCHES = 10_000


def referee(
    sheet: Annotated[
        str,
        typer.Argument(metavar="SHEET", help="A file with rules, or gdl(sheet=NAME)."),
    ],
    player: Annotated[
        list[str],
        typer.Option(
            help="Who plays: http://HOST:PORT, or an agent; once for each role.",
            metavar="URL|SPEC",
        ),
    ],
    start_clock: Annotated[
        float, typer.Option(help="Seconds to prepare.", metavar="S", min=0.1, max=86_400)
    ] = 30.0,
    play_clock: Annotated[
        float, typer.Option(help="Seconds for a move.", metavar="S", min=0.1, max=86_400)
    ] = 10.0,
    games: Annotated[int, typer.Option(help="How many matches.", metavar="N")] = 1,
    scramble: Annotated[
        bool, typer.Option("--scramble", help="Send other words to players, as servers do.")
    ] = False,
    record: Annotated[
        str | None,
        typer.Option(help="Write the matches to this file, as traces.", metavar="FILE"),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Hold a match between GGP players.

    Players at an address are asked over HTTP, agents think in this process. A late, illegal or
    missing answer becomes a random legal move, and is counted.

    \b
    Examples:
      graven referee "gdl(sheet=connect5)" --player http://localhost:9147 --player "uct(c=0.7)"
      graven referee rules.kif --player grave --player http://localhost:9147 --play-clock 5 --json
    """
    from graven.core.errors import UsageError
    from graven.core.rng import derive
    from graven.interfaces.ggp.referee import Own, Referee, Remote, Terms
    from graven.interfaces.ggp.scramble import Scramble
    from graven.sources.gdl_text import is_gdl, rules_text
    from graven.sources.load import load_game

    if not 1 <= games <= MOST_MATCHES:
        raise UsageError(f"--games must be from 1 to {MOST_MATCHES:,}, not {games}.")
    if not is_gdl(sheet):
        raise UsageError(f"{sheet!r} is not a rulesheet: name a .kif file, or gdl(sheet=NAME).")
    if record is not None:
        check_target(record)
    rules = rules_text(sheet)
    game = load_game(sheet)
    other = Scramble(rules, seed) if scramble else None
    seats = [
        Remote(who, other) if "://" in who else Own(who, derive(seed, number))
        for number, who in enumerate(player)
    ]
    done: list[Result] = []

    def work(stop: threading.Event) -> None:
        for number in range(games):
            if stop.is_set():
                return
            own = derive(seed, number)
            terms = Terms(rules, start_clock, play_clock, own)
            held = Referee(game, terms, list(seats), f"graven.{own % 10**9}.{number}")
            done.append(held.hold(stop.is_set))

    def line(elapsed: float) -> str:
        return f"match {len(done) + 1} of {games}, {duration(elapsed)}"

    # A wrong number of players is told before anything begins.
    Referee(game, Terms(rules, start_clock, play_clock), list(seats), "m")
    _, interrupted = watched(work, line)
    if record is not None:
        _write(record, game.spec, done)
    if json:
        print_json({"game": game.spec, "matches": [result.as_json() for result in done]})
    else:
        _show(game.spec, done)
    leave([], interrupted and len(done) < games)


def _write(file: str, game: str, done: list[Result]) -> None:
    import json
    from pathlib import Path

    lines = [json.dumps(result.trace(game, number)) for number, result in enumerate(done)]
    Path(file).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def _show(game: str, done: list[Result]) -> None:
    from rich.table import Table

    console = out()
    console.print(game, markup=False, style="bold", soft_wrap=True)
    for result in done:
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
        for heading in ("role", "player", "goal", "late", "illegal", "missing"):
            table.add_column(heading, justify="left" if heading in ("role", "player") else "right")
        for each in result.conduct:
            goal = "-" if each.goal is None else str(each.goal)
            table.add_row(each.role, each.player, goal, *map(str, each.faults.values()))
        console.print(table)
        for each in result.conduct:
            if each.said:
                err().print(f"{each.role}: {each.said}", markup=False, soft_wrap=True)
        state = "" if result.terminal else ", not finished"
        console.print(f"{len(result.steps)} steps in {duration(result.seconds)}{state}")
