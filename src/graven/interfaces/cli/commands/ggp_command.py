"""`graven ggp`: a player for general game playing servers."""

from __future__ import annotations

from typing import Annotated

import typer

from graven.interfaces.cli.arguments import AgentText, Seed
from graven.interfaces.cli.console import awaited, err

DEFAULT_AGENT = "grave(ref=50,k=250,c=0.2)+mast(epsilon=0.4,decay=0.2)"


def ggp(
    port: Annotated[int, typer.Option(help="Where to listen; 0: any free port.", metavar="N")] = (
        9147
    ),
    host: Annotated[
        str,
        typer.Option(help="Which address to listen on; 0.0.0.0: all of them.", metavar="ADDRESS"),
    ] = "127.0.0.1",
    agent: AgentText = DEFAULT_AGENT,
    name: Annotated[str, typer.Option(help="What to call ourselves.", metavar="NAME")] = "graven",
    margin: Annotated[
        float,
        typer.Option(help="Seconds of each clock to keep back, at the least.", metavar="S"),
    ] = 0.5,
    seed: Seed = 0,
) -> None:
    """Play over the GGP protocol, as a server asks.

    Waits for a server's messages over HTTP and plays one match at a time, any game in GDL. It only
    listens on this machine unless --host says otherwise. What goes on is told on stderr.

    \b
    Examples:
      graven ggp --port 9147
      graven ggp --host 0.0.0.0 --name my_player --agent "uct(c=0.7)"
    """
    import logging

    from graven.core.errors import UsageError
    from graven.core.extras import require

    require("web")
    from graven.interfaces.ggp.ggp_player import Player
    from graven.interfaces.ggp.ggp_server import bound, make_server
    from graven.interfaces.ggp.pondering import warm_up

    if not 0 <= port <= 65535:
        raise UsageError(f"a port is a number from 0 to 65535, not {port}.")
    if not 0 <= margin <= 60:
        raise UsageError(f"--margin must be from 0 to 60 seconds, not {margin:g}.")
    player = Player(agent, name, margin, seed)
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
    logging.getLogger("graven").setLevel(logging.INFO)
    with bound(host, port) as at:
        awaited(lambda: warm_up(player.spec), "compiling")
        at.listen(64)
        address = f"[{host}]" if ":" in host else host
        err().print(
            f"{player.name} listens on http://{address}:{at.getsockname()[1]} with "
            f"{player.spec.text}",
            markup=False,
            soft_wrap=True,
        )
        make_server(player).run(sockets=[at])
