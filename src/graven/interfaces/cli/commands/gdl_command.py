"""`graven gdl`: check a rulesheet, ground it, draw it, verify it against traces."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graven.interfaces.cli.arguments import Json
from graven.interfaces.cli.console import out, print_json

if TYPE_CHECKING:
    from graven.gdl.language.kif_terms import Sheet
    from graven.gdl.network.network_builder import BuildReport
    from graven.gdl.network.propositional import Network

gdl = typer.Typer(
    name="gdl",
    help="Check, ground, draw or verify a game's rulesheet.",
    rich_markup_mode=None,
    invoke_without_command=True,
)
SheetText = Annotated[
    str,
    typer.Argument(
        metavar="SHEET",
        help="A file with rules in GDL, or the name of a shipped sheet.",
        show_default=False,
    ),
]


@gdl.callback()
def without_command(context: typer.Context) -> None:
    """Check, ground, draw or verify a game's rulesheet."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@gdl.command()
def check(sheet: SheetText, json: Json = False) -> None:
    """Report errors and warnings of a rulesheet.

    A sheet with errors cannot be played: the exit code is then 2. Warnings are about what GDL
    forbids or what is likely a mistake: such sheets are played.

    \b
    Examples:
      graven gdl check rules.kif
      graven gdl check skirmish --json
    """
    from graven.gdl.language.sheet_checks import findings

    rules = _read(sheet)
    reported = findings(rules)
    errors = sum(finding.fatal for finding in reported)
    if json:
        print_json(
            {
                "sheet": sheet,
                "roles": list(rules.roles),
                "rules": len(rules.rules),
                "errors": [_json(finding) for finding in reported if finding.fatal],
                "warnings": [_json(finding) for finding in reported if not finding.fatal],
            }
        )
    else:
        for finding in reported:
            kind = "error" if finding.fatal else "warning"
            out().print(f"{kind}: {finding}", markup=False, soft_wrap=True)
        counts = f"{_number(errors, 'error')}, {_number(len(reported) - errors, 'warning')}"
        roles = ", ".join(rules.roles) or "no roles"
        out().print(f"{sheet}: {len(rules.rules):,} rules for {roles}; {counts}", markup=False)
    if errors:
        raise typer.Exit(2)


@gdl.command()
def info(
    sheet: SheetText,
    seconds: Annotated[
        float, typer.Option(help="Seconds of random playouts for each rate.", metavar="S", min=0.01)
    ] = 1.0,
    json: Json = False,
) -> None:
    """Ground a rulesheet, and report sizes and times of each stage, and playouts per second.

    \b
    Examples:
      graven gdl info breakthrough
      graven gdl info rules.kif --json
    """
    from graven.bench.playout_rates import batched_rate, random_game_statistics, sequential_rate
    from graven.gdl.grounding.numbered_rules import TooLargeError
    from graven.gdl.language.sheet_checks import check
    from graven.gdl.network.network_builder import BuildReport, build_network, warm_up
    from graven.gdl.network_game import network_game
    from graven.gdl.sheet_loader import SheetOptions, proof_game_of

    rules = _read(sheet)
    check(rules, sheet)
    summary: dict[str, Any] = {
        "sheet": sheet,
        "roles": list(rules.roles),
        "rules": len(rules.rules),
    }
    report = BuildReport()
    warm_up()
    try:
        network = build_network(rules, report=report)
    except TooLargeError as error:
        summary["by"], summary["reason"] = "proof", str(error)
        game = proof_game_of(rules, sheet, SheetOptions())
    else:
        summary["by"] = "network"
        summary |= _sizes(network, report)
        began = time.perf_counter()
        game = network_game(network)
        summary["stages"].append(_stage("kernel tables", 0, 0, time.perf_counter() - began))
    summary |= random_game_statistics(game, seconds)
    summary["playouts_per_second"] = {"single": sequential_rate(game, seconds)}
    if game.functions.batch_playouts:
        summary["playouts_per_second"]["batched"] = batched_rate(game, seconds)
    if json:
        print_json(summary)
    else:
        _show_info(summary)


@gdl.command()
def draw(
    sheet: SheetText,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="A file: .svg or .dot; default: SVG to standard output.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Draw which relation of a rulesheet depends on which.

    \b
    Examples:
      graven gdl draw rules.kif -o rules.svg
      graven gdl draw skirmish -o skirmish.dot
    """
    from graven.core.errors import UsageError
    from graven.core.file_replacement import replace_text
    from graven.gdl.language.rule_graph import dot, rule_graph, svg

    suffix = Path(output).suffix.lower() if output else ".svg"
    if suffix not in (".svg", ".dot"):
        raise UsageError(
            f"a rule graph is drawn as .svg or .dot, not {suffix or 'without a suffix'}."
        )
    graph = rule_graph(_read(sheet))
    text = dot(graph) if suffix == ".dot" else svg(graph, sheet)
    if output is None:
        typer.echo(text, nl=False)
    else:
        replace_text(output, text)


@gdl.command()
def verify(
    sheet: SheetText,
    traces: Annotated[
        list[str],
        typer.Argument(metavar="TRACE...", help="Files of traces, .jsonl or .jsonl.gz."),
    ],
    by: Annotated[
        str, typer.Option(help="How to play the sheet: network, proof or auto.", metavar="METHOD")
    ] = "auto",
    json: Json = False,
) -> None:
    """Verify a rulesheet against traces of matches, and report the first differences.

    A trace is a line of JSON with the legal moves of every role and the moves made at every step,
    then whether the match was over, and the goals. The exit code is 0 if all traces agree, 1 if
    one differs.

    \b
    Examples:
      graven gdl verify rules.kif matches.jsonl
      graven gdl verify breakthrough oracle/breakthrough.jsonl.gz --by proof
    """
    from graven.gdl.sheet_loader import MAX_STEPS, SheetOptions, sheet_game
    from graven.gdl.trace_verifier import first_difference, read_traces
    from graven.sources.gdl_text import sheet_text

    matches = {path: list(read_traces(path)) for path in traces}
    longest = max((len(match.steps) for file in matches.values() for match in file), default=0)
    options = SheetOptions(by, steps=min(MAX_STEPS, longest + 1))
    game = sheet_game(sheet_text(sheet), sheet, options)
    results = []
    for path, file in matches.items():
        compared = (first_difference(game, match) for match in file)
        differences = [(number, text) for number, text in enumerate(compared) if text]
        results.append(
            {
                "trace": path,
                "matches": len(file),
                "steps": sum(len(match.steps) for match in file),
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
            out().print(_verified(result), markup=False, soft_wrap=True)
    if any(result["differs"] for result in results):
        raise typer.Exit(1)


def _verified(result: dict[str, Any]) -> str:
    """Describe the result of one file of traces in one line."""
    size = f"{_number(result['matches'], 'match')}, {_number(result['steps'], 'step')}"
    if first := result["first"]:
        return f"{result['trace']}: match {first['match']}, {first['difference']} ({size})"
    return f"{result['trace']}: all agree ({size})"


def _read(name: str) -> Sheet:
    """Read the rules of a file, or of a shipped sheet."""
    from graven.gdl.language.kif_reader import read
    from graven.sources.gdl_text import sheet_text

    return read(sheet_text(name), name)


def _number(count: int, noun: str) -> str:
    plural = "es" if noun.endswith("ch") else "s"
    return f"{count or 'no'} {noun}{'' if count == 1 else plural}"


def _json(finding: Any) -> dict[str, Any]:
    return {"line": finding.line, "sentence": finding.sentence}


def _stage(stage: str, gates: int, inputs: int, seconds: float) -> dict[str, Any]:
    return {"stage": stage, "gates": gates, "inputs": inputs, "seconds": round(seconds, 4)}


def _sizes(network: Network, report: BuildReport) -> dict[str, Any]:
    return {
        "propositions": len(network.bases),
        "always": len(network.always),
        "moves": {
            role: len(moves) for role, moves in zip(network.roles, network.moves, strict=True)
        },
        "gates": len(network.gates),
        "inputs": network.input_count,
        "stages": [_stage(*each) for each in report.stages],
    }


def _show_info(summary: dict[str, Any]) -> None:
    from rich.table import Table

    console = out()

    def line(label: str, text: str) -> None:
        console.print(f"{label:<13} {text}", markup=False, soft_wrap=True)

    console.print(f"{summary['sheet']}: {summary['rules']:,} rules", style="bold", markup=False)
    line("roles", ", ".join(summary["roles"]))
    if summary["by"] == "proof":
        line("by proof", summary["reason"])
    else:
        line(
            "propositions",
            f"{summary['propositions']:,}, and {summary['always']:,} that are always true",
        )
        line("moves", ", ".join(f"{role} {count:,}" for role, count in summary["moves"].items()))
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
        for heading in ("after", "gates", "inputs", "s"):
            table.add_column(heading, justify="left" if heading == "after" else "right")
        for stage in summary["stages"]:
            sizes = (f"{stage['gates']:,}", f"{stage['inputs']:,}") if stage["gates"] else ("", "")
            table.add_row(stage["stage"], *sizes, f"{stage['seconds']:.2f}")
        console.print(table)
    line("matches", f"{summary['length']:.1f} steps, {summary['branching']:.1f} legal moves")
    for kernel, rate in summary["playouts_per_second"].items():
        line("playouts/s", f"{rate:,.0f} {kernel}")
