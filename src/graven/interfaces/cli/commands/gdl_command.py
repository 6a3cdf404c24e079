"""`graven gdl`: what a rulesheet is, whether it is right, and how fast it plays."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graven.interfaces.cli.arguments import Json
from graven.interfaces.cli.console import out, print_json

if TYPE_CHECKING:
    from graven.gdl.build import Report
    from graven.gdl.network import Network
    from graven.gdl.read import Sheet

gdl = typer.Typer(
    name="gdl",
    help="Look at a game's rulesheet: check it, ground it, draw it.",
    rich_markup_mode=None,
    invoke_without_command=True,
)
SheetText = Annotated[
    str,
    typer.Argument(
        metavar="SHEET",
        help="A file with rules in GDL, or the name of a sheet that graven has.",
        show_default=False,
    ),
]


@gdl.callback()
def without_command(context: typer.Context) -> None:
    """Look at a game's rulesheet: check it, ground it, draw it."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@gdl.command()
def check(sheet: SheetText, json: Json = False) -> None:
    """Say what is wrong with a rulesheet.

    Errors leave the sheet without meaning, and the command ends with exit code 2. Warnings are
    what GDL forbids but what has a meaning all the same: such sheets are played.

    \b
    Examples:
      graven gdl check rules.kif
      graven gdl check skirmish --json
    """
    from graven.gdl.check import findings

    read = _read(sheet)
    found = findings(read)
    errors = sum(each.fatal for each in found)
    if json:
        print_json(
            {
                "sheet": sheet,
                "roles": list(read.roles),
                "rules": len(read.rules),
                "errors": [_json(each) for each in found if each.fatal],
                "warnings": [_json(each) for each in found if not each.fatal],
            }
        )
    else:
        for each in found:
            kind = "error" if each.fatal else "warning"
            out().print(f"{kind}: {each}", markup=False, soft_wrap=True)
        counts = f"{_number(errors, 'error')}, {_number(len(found) - errors, 'warning')}"
        roles = ", ".join(read.roles) or "nobody"
        out().print(f"{sheet}: {len(read.rules):,} rules for {roles}; {counts}", markup=False)
    if errors:
        raise typer.Exit(2)


@gdl.command()
def info(
    sheet: SheetText,
    seconds: Annotated[
        float, typer.Option(help="How long to play at random, each way.", metavar="S", min=0.01)
    ] = 1.0,
    json: Json = False,
) -> None:
    """Ground a rulesheet, and say what came of it: sizes at each stage, times, speed.

    \b
    Examples:
      graven gdl info breakthrough
      graven gdl info rules.kif --json
    """
    from graven.bench.playout_rates import batched_rate, random_game_statistics, sequential_rate
    from graven.gdl.build import Report, network, warm
    from graven.gdl.check import check
    from graven.gdl.game import network_game
    from graven.gdl.make import How, proof_game_of
    from graven.gdl.program import TooLargeError

    rules = _read(sheet)
    check(rules, sheet)
    told: dict[str, Any] = {"sheet": sheet, "roles": list(rules.roles), "rules": len(rules.rules)}
    report = Report()
    warm()
    try:
        made = network(rules, report=report)
    except TooLargeError as error:
        told["by"], told["reason"] = "proof", str(error)
        game = proof_game_of(rules, sheet, How())
    else:
        told["by"] = "network"
        told |= _sizes(made, report)
        began = time.perf_counter()
        game = network_game(made)
        told["stages"].append(_stage("kernels' tables", 0, 0, time.perf_counter() - began))
    told |= random_game_statistics(game, seconds)
    told["playouts_per_second"] = {"one at a time": sequential_rate(game, seconds)}
    if game.rules.batch_playouts:
        told["playouts_per_second"]["many at once"] = batched_rate(game, seconds)
    if json:
        print_json(told)
    else:
        _show_info(told)


@gdl.command()
def draw(
    sheet: SheetText,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="A file: .svg or .dot; default: SVG to the screen.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Draw which relation of a rulesheet needs which.

    \b
    Examples:
      graven gdl draw rules.kif -o rules.svg
      graven gdl draw skirmish -o skirmish.dot
    """
    from graven.core.errors import UsageError
    from graven.gdl.graph import dot, rule_graph, svg

    suffix = Path(output).suffix.lower() if output else ".svg"
    if suffix not in (".svg", ".dot"):
        raise UsageError(
            f"a rule graph is drawn as .svg or .dot, not {suffix or 'without either'}."
        )
    graph = rule_graph(_read(sheet))
    text = dot(graph) if suffix == ".dot" else svg(graph, sheet)
    if output is None:
        typer.echo(text, nl=False)
    else:
        Path(output).write_text(text, encoding="utf-8")


@gdl.command()
def follow(
    sheet: SheetText,
    traces: Annotated[
        list[str],
        typer.Argument(metavar="TRACE...", help="Files of traces, .jsonl or .jsonl.gz."),
    ],
    by: Annotated[
        str, typer.Option(help="How to play the sheet: network, proof or auto.", metavar="WAY")
    ] = "auto",
    json: Json = False,
) -> None:
    """Follow traces of matches, and say where the sheet as we play it first differs from them.

    A trace is a line of JSON with the legal moves of every role and the moves made at every step,
    then whether the match was over, and the goals. The exit code is 0 where all agree, 1 where one
    differs.

    \b
    Examples:
      graven gdl follow rules.kif matches.jsonl
      graven gdl follow breakthrough oracle/breakthrough.jsonl.gz --by proof
    """
    from graven.gdl.follow import first_difference, read_traces
    from graven.gdl.make import MOST_STEPS, How, make
    from graven.sources.gdl_text import sheet_text

    read = {path: list(read_traces(path)) for path in traces}
    longest = max((len(trace.steps) for each in read.values() for trace in each), default=0)
    game = make(sheet_text(sheet), sheet, How(by, steps=min(MOST_STEPS, longest + 1)))
    results = []
    for path, each in read.items():
        found = (first_difference(game, trace) for trace in each)
        differences = [(number, text) for number, text in enumerate(found) if text]
        results.append(
            {
                "trace": path,
                "matches": len(each),
                "steps": sum(len(trace.steps) for trace in each),
                "differs": len(differences),
                "first": {"match": differences[0][0], "difference": differences[0][1]}
                if differences
                else None,
            }
        )
    if json:
        print_json(results)
    else:
        for result in results:
            out().print(_followed(result), markup=False, soft_wrap=True)
    if any(result["differs"] for result in results):
        raise typer.Exit(1)


def _followed(result: dict[str, Any]) -> str:
    """What became of one file of traces, in one line."""
    size = f"{_number(result['matches'], 'match')}, {_number(result['steps'], 'step')}"
    if first := result["first"]:
        return f"{result['trace']}: match {first['match']}, {first['difference']} ({size})"
    return f"{result['trace']}: all agree ({size})"


def _read(name: str) -> Sheet:
    """The rules of a file, or of a sheet of ours."""
    from graven.gdl.read import read
    from graven.sources.gdl_text import sheet_text

    return read(sheet_text(name), name)


def _number(count: int, what: str) -> str:
    plural = "es" if what.endswith("ch") else "s"
    return f"{count or 'no'} {what}{'' if count == 1 else plural}"


def _json(finding: Any) -> dict[str, Any]:
    return {"line": finding.line, "sentence": finding.sentence}


def _stage(stage: str, gates: int, inputs: int, seconds: float) -> dict[str, Any]:
    return {"stage": stage, "gates": gates, "inputs": inputs, "seconds": round(seconds, 4)}


def _sizes(made: Network, report: Report) -> dict[str, Any]:
    return {
        "propositions": len(made.bases),
        "always": len(made.always),
        "moves": {role: len(moves) for role, moves in zip(made.roles, made.moves, strict=True)},
        "gates": made.gates,
        "inputs": len(made.inputs),
        "stages": [_stage(*each) for each in report.stages],
    }


def _show_info(told: dict[str, Any]) -> None:
    from rich.table import Table

    console = out()

    def line(what: str, text: str) -> None:
        console.print(f"{what:<13} {text}", markup=False, soft_wrap=True)

    console.print(f"{told['sheet']}: {told['rules']:,} rules", style="bold", markup=False)
    line("roles", ", ".join(told["roles"]))
    if told["by"] == "proof":
        line("by proof", told["reason"])
    else:
        line("propositions", f"{told['propositions']:,}, and {told['always']:,} that always hold")
        line("moves", ", ".join(f"{role} {count:,}" for role, count in told["moves"].items()))
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
        for heading in ("after", "gates", "inputs", "s"):
            table.add_column(heading, justify="left" if heading == "after" else "right")
        for each in told["stages"]:
            sizes = (f"{each['gates']:,}", f"{each['inputs']:,}") if each["gates"] else ("", "")
            table.add_row(each["stage"], *sizes, f"{each['seconds']:.2f}")
        console.print(table)
    line("matches", f"{told['length']:.1f} steps, {told['branching']:.1f} moves to choose from")
    for way, rate in told["playouts_per_second"].items():
        line("playouts/s", f"{rate:,.0f} {way}")
