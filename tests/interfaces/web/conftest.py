"""Fixtures: a result store, a running server process, a browser if Chromium is installed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graven.lab.experiments.match import match
from graven.lab.published import paper
from tests.interfaces.web.helpers import TIMEOUT

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None
)
SCREENSHOTS = Path(__file__).parents[3] / "screenshots"


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """A store with two matches, one of which is a cell of a published table."""
    path = tmp_path_factory.mktemp("page") / "graven.db"
    match("nogo(size=4)", "grave", "uct", games=4, playouts=60, workers=1, store=path)
    setup = paper("cazenave2015").table("6").figures[1].setup
    first, second = (f"{spec[:-1]},solver=off)" for spec in (setup.first, setup.second))
    match(setup.game, first, second, games=2, playouts=1000, workers=1, store=path)
    return path


@pytest.fixture(scope="session")
def server(store, tmp_path_factory):
    """The address of a running `graven serve`, which must end cleanly on Ctrl-C."""
    folder = tmp_path_factory.mktemp("folder")
    (folder / "board.txt").write_text("112\n122\n331\n")
    main = [sys.executable, "-m", "graven"]
    subprocess.run([*main, "new", "game", "mygame"], cwd=folder, check=True, capture_output=True)
    command = [*main, "serve", "./mygame.py:game", "--port", "0", "--db", str(store)]
    options = ["--folder", str(folder), "--max-seconds", "300", "--max-sessions", "500"]
    with subprocess.Popen(
        [*command, *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        line = program.stdout.readline()
        address = re.search(r"http://\S+", line)
        assert address, line + program.stderr.read()
        yield address[0]
        os.kill(program.pid, signal.SIGINT)
        _, errors = program.communicate(timeout=60)
    assert "Traceback" not in errors
    assert program.returncode in (0, 130, -signal.SIGINT)


@pytest.fixture(scope="session")
def chromium():
    """A browser, driven by Playwright."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: run 'make programs'")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Visitor:
    """A browser page, with helpers that wait for a condition."""

    def __init__(self, page, server):
        self.page, self.server = page, server
        self.errors = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda entry: entry.type == "error" and self.errors.append(entry.text))

    def open(self, fragment=""):
        self.page.goto(self.server + fragment)
        self.until("window.graven && graven.state" if "game=" in fragment else "window.graven")
        return self

    def evaluate(self, expression):
        return self.page.evaluate(expression)

    def until(self, expression):
        deadline = time.monotonic() + TIMEOUT
        while not self.page.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < deadline, f"timeout: waited for {expression}"
            time.sleep(0.05)

    def cell(self, name):
        return self.page.locator(f"#board [data-cell='{name}']").first

    def screenshot(self, name, **options):
        SCREENSHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", **options)


@pytest.fixture
def visit(chromium, server):
    """Open the page in a new window; the test fails if a script fails."""
    opened = []

    def visit(fragment="", **options):
        options = {"viewport": {"width": 1280, "height": 860}, **options}
        context = chromium.new_context(**options)
        visitor = Visitor(context.new_page(), server)
        opened.append((context, visitor))
        return visitor.open(fragment)

    yield visit
    for context, visitor in opened:
        context.close()
        assert visitor.errors == []
