"""`graven ggp`: a player for general game playing servers."""

from __future__ import annotations

from typing import Annotated

import typer

from graven.interfaces.cli.arguments import AgentText, Seed, Threads
from graven.interfaces.cli.console import err, run_to_completion


def ggp(
    port: Annotated[
        int, typer.Option(help="The port to listen on; 0: any free port.", metavar="N")
    ] = (9147),
    host: Annotated[
        str,
        typer.Option(help="The address to listen on; 0.0.0.0: all addresses.", metavar="ADDRESS"),
    ] = "127.0.0.1",
    agent: AgentText = None,
    name: Annotated[str, typer.Option(help="The player's name.", metavar="NAME")] = "graven",
    margin: Annotated[
        float,
        typer.Option(
            help="Seconds of each clock to reserve until the network's delays are known.",
            metavar="S",
        ),
    ] = 0.5,
    host_name: Annotated[
        list[str] | None,
        typer.Option(
            help="A host name under which servers reach this player.",
            metavar="NAME",
        ),
    ] = None,
    threads: Threads = None,
    seed: Seed = 0,
) -> None:
    """Run a player for general game playing (GGP) servers.

    Receives a server's messages over HTTP and plays one match at a time, in any game written in
    GDL. Listens only on this machine unless --host is given. The log is printed on stderr.

    \b
    Examples:
      graven ggp --port 9147
      graven ggp --host 0.0.0.0 --host-name player.example.org --name my_player --agent "uct(c=0.7)"
    """
    import logging
    import socket

    from graven.core.errors import UsageError
    from graven.core.extras import require

    require("web")
    from graven.interfaces.ggp.ggp_player import GgpPlayer
    from graven.interfaces.ggp.ggp_server import make_server
    from graven.interfaces.ggp.pondering import warm_up
    from graven.interfaces.host_names import LOCAL_HOSTS
    from graven.interfaces.listening_socket import listening_socket
    from graven.search.options import MOST_THREADS

    if not 0 <= port <= 65535:
        raise UsageError(f"--port must be from 0 to 65535, got {port}.")
    if not 0 <= margin <= 60:
        raise UsageError(f"--margin must be from 0 to 60 seconds, got {margin:g}.")
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise UsageError(f"--threads must be from 1 to {MOST_THREADS}, got {threads}.")
    player = GgpPlayer(agent, name, margin, seed, threads or 1)
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING, force=True)
    logging.getLogger("graven").setLevel(logging.INFO)
    with listening_socket(host, port) as listener:
        run_to_completion(lambda: warm_up(player.agent), "compiling the search")
        address = f"[{host}]" if ":" in host else host
        err().print(
            f"{player.name} listens on http://{address}:{listener.getsockname()[1]} with "
            f"{player.agent.text}",
            markup=False,
            soft_wrap=True,
        )
        names = {host, socket.gethostname(), *(host_name or ())}
        hosts = LOCAL_HOSTS | {name.lower() for name in names}
        make_server(player, hosts).run(sockets=[listener])
