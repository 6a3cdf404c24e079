"""The connection of a page survives a command that takes longer than the keep-alive."""

from __future__ import annotations

import json
import socket
import threading
import time

import uvicorn
from websockets.sync.client import connect

from graven.interfaces.http_limits import LimitedHttpProtocol
from graven.interfaces.web.web_limits import PageLimits
from graven.interfaces.web.web_server import WebServer
from graven.interfaces.web.web_session import GameSession
from tests.interfaces.web.helpers import TIMEOUT

PING_SECONDS, WORK_SECONDS = 0.3, 2.0


def test_pings_are_answered_while_a_command_runs(monkeypatch, tmp_path):
    check_agent = GameSession._check_agent

    def slow_check(self, message):
        time.sleep(WORK_SECONDS)
        return check_agent(self, message)

    monkeypatch.setattr(GameSession, "_check_agent", slow_check)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        WebServer(PageLimits(), str(tmp_path / "graven.db")).app(),
        http=LimitedHttpProtocol,
        ws="websockets-sansio",
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        log_config=None,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    try:
        with connect(f"ws://{address}/ws", origin=f"http://{address}") as tab:
            for agent in ("uct(c=0.5)", "uct(c=0.6)", "uct(c=0.7)"):
                tab.send(json.dumps({"type": "check_agent", "agent": agent}))
            answers = []
            while len(answers) < 3:
                message = json.loads(tab.recv(timeout=TIMEOUT))
                if message["type"] == "checked_agent":
                    answers.append(message["agent"])
            assert answers == ["uct(c=0.5)", "uct(c=0.6)", "uct(c=0.7)"]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
