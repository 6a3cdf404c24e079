"""`graven serve`: the web page."""

from __future__ import annotations

from typing import Annotated

import typer

from graven.interfaces.cli.arguments import Db, compile_game


def serve(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            help="Games that the page offers beside those of the package: ./mygame.py:game.",
            metavar="[GAME]...",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0: all addresses.", metavar="HOST")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port to listen on; 0: any free port.", min=0, max=65535)
    ] = 8642,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="A host name under which browsers reach this server.",
            metavar="NAME",
        ),
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the page in a browser.")
    ] = False,
    folder: Annotated[
        str | None,
        typer.Option(help="The folder from which games may read files.", metavar="FOLDER"),
    ] = None,
    max_playouts: Annotated[
        int, typer.Option(help="Maximum playouts per move.", min=1, metavar="N")
    ] = 1_000_000,
    max_seconds: Annotated[
        float, typer.Option(help="Maximum seconds per move.", min=0.01, metavar="S")
    ] = 60.0,
    max_memory: Annotated[
        int, typer.Option(help="Maximum memory of all trees, in MiB.", min=8, metavar="MIB")
    ] = 1024,
    max_searches: Annotated[
        int, typer.Option(help="Maximum concurrent searches of all tabs.", min=1, metavar="N")
    ] = 4,
    max_threads: Annotated[
        int | None,
        typer.Option(
            help="Maximum threads per search; default: the processors of this machine.",
            min=1,
            metavar="N",
        ),
    ] = None,
    max_sessions: Annotated[
        int, typer.Option(help="Maximum concurrent games of all tabs.", min=1, metavar="N")
    ] = 100,
    ponder: Annotated[
        bool,
        typer.Option(
            help="Let agents with a time limit search on while you think.",
        ),
    ] = True,
    db: Db = None,
) -> None:
    """Serve a web page to play on, to watch searches, and to browse experiments.

    The page is reachable only from this machine unless --host is given. It has no passwords. It
    runs no Python files but those of the games that are named here.

    \b
    Examples:
      graven serve --open
      graven serve ./mygame.py:game --open
      graven serve --port 9000 --db experiment.db --max-seconds 10
    """
    import os

    from graven.core.extras import require

    require("web")
    from graven.interfaces.web.web_limits import PageLimits
    from graven.interfaces.web.web_run import run

    run(
        PageLimits(
            playouts=max_playouts,
            seconds=max_seconds,
            memory_mib=max_memory,
            searches=max_searches,
            sessions=max_sessions,
            threads=max_threads or os.cpu_count() or 1,
            ponder=ponder,
            games={text: compile_game(text, None) for text in games or ()},
        ),
        host,
        port,
        names=name or (),
        folder=folder,
        db=db,
        open_browser=open_browser,
    )
