"""The HTML report in a real browser: on a phone and a screen, in light and dark."""

from __future__ import annotations

from itertools import combinations

import pytest

from graven.lab.experiments.pairing import make_pairing
from graven.lab.published import paper
from graven.lab.reports.html_report import html
from graven.lab.store.store import Store
from tests.lab.recorded_games import add_games

GAME = "knightthrough(size=5)"
VIEWPORTS = {"phone": (390, 844), "screen": (1400, 900)}
# Whatever ends right of the window, or is wider than the box that would clip it.
CUT_OFF = """() => [...document.querySelectorAll("body *")]
  .filter((e) => !e.closest("thead") && !e.closest("svg"))
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1
    || (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible"))
  .map((e) => e.tagName + ": " + e.textContent.slice(0, 60))"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report of a store with a published cell, a sweep, a tournament and a long spec."""
    folder = tmp_path_factory.mktemp("report")
    outcomes = {0: 1.0, 1: 0.0, 2: 0.5, 3: 1.0}
    pairings = [paper("cazenave2015").table("6").figures[1].setup.pairing()]
    pairings += [make_pairing(GAME, f"rave(bias=1e-{power})", "uct") for power in range(1, 5)]
    agents = ["uct", "rave(bias=1e-5)", "grave"]
    pairings += [make_pairing(GAME, one, other) for one, other in combinations(agents, 2)]
    long_spec = "grave(ref=50,bias=1e-5,fpu=1.25,expand=3,final_move=mean)+mast(k=2.5,decay=0.5)"
    pairings.append(make_pairing(GAME, long_spec, "uct", opening_plies=2))
    with Store(folder / "a.db") as store:
        for pairing in pairings:
            add_games(store, pairing, outcomes)
        (folder / "report.html").write_text(html(store), encoding="utf-8")
    return (folder / "report.html").as_uri()


@pytest.fixture
def open_report(chromium, report):
    """Return a function that opens the report in a window."""
    contexts = []

    def opened(size="screen", scheme="light"):
        width, height = VIEWPORTS[size]
        viewport = {"width": width, "height": height}
        contexts.append(chromium.new_context(viewport=viewport, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.goto(report)
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("size", VIEWPORTS)
def test_nothing_is_cut_off(open_report, size):
    page = open_report(size)
    assert page.locator("table").count() >= 3
    page.evaluate("() => document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(CUT_OFF) == []


def test_on_a_phone_every_cell_names_its_column(open_report):
    page = open_report("phone")
    labels = page.evaluate(
        "() => [...document.querySelectorAll('td')]"
        ".map((e) => getComputedStyle(e, '::before').content)"
    )
    assert labels
    assert all(label not in ("none", '""') for label in labels)


def test_every_entry_of_the_contents_leads_somewhere(open_report):
    page = open_report()
    targets = [link.get_attribute("href") for link in page.locator("nav a").all()]
    assert {"#published-tables", "#sweeps", "#tournaments", "#all-matches"} <= set(targets)
    for target in targets:
        assert page.locator(target).count() == 1


def brightness(page, script):
    """Return the mean of a colour that a script returns as "rgb(...)"."""
    numbers = page.evaluate(script).removeprefix("rgb(").removesuffix(")").split(",")
    return sum(map(float, numbers[:3])) / 3


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
def test_page_and_plots_follow_the_colour_scheme(open_report, scheme, is_dark):
    page = open_report(scheme=scheme)
    background = brightness(page, "() => getComputedStyle(document.body).backgroundColor")
    ink = brightness(page, "() => getComputedStyle(document.body).color")
    assert (background < 60) == is_dark
    assert (ink > 180) == is_dark
    # The labels of a plot are paths; none may have the colour of the background.
    fills = page.evaluate(
        "() => [...document.querySelectorAll('figure svg g[id^=text_] g')]"
        ".map((e) => getComputedStyle(e).fill)"
    )
    assert fills
    for fill in set(fills):
        numbers = [float(part) for part in fill.removeprefix("rgb(").removesuffix(")").split(",")]
        assert abs(sum(numbers[:3]) / 3 - background) > 100
