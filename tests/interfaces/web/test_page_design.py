"""What the page looks like and how it behaves at first sight, in Chromium."""

from __future__ import annotations

import io
import re

import pytest
from matplotlib.image import imread

from tests.interfaces.web.helpers import wait_for_plies

DESK = {"viewport": {"width": 1400, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}}
SHEETS = [
    "breakthrough",
    "checkers",
    "connect5",
    "sheepAndWolf",
    "tictactoe_3d_2player",
    "chineseCheckers3",  # without coordinates: drawn as text
]


# The parts of a spec that is so many characters wide, each with the number of its lines.
LINES_OF_SPEC = """(characters) => {
    const spec = document.querySelector("#seats .spec-text");
    spec.style.cssText = `display: block; width: ${characters}ch`;
    const texts = document.createTreeWalker(spec, NodeFilter.SHOW_TEXT), lines = [];
    while (texts.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(texts.currentNode);
        const tops = [...range.getClientRects()].map((rect) => Math.round(rect.top));
        lines.push([texts.currentNode.data, new Set(tops).size]);
    }
    return lines;
}"""


def two_persons(visitor):
    visitor.evaluate("graven.send('set_seats', {seats: ['person', 'person']})")
    visitor.until("graven.state.seats.every((seat) => seat === 'person')")


def board_picture(visitor):
    """What the board shows: its SVG without marks, or its text."""
    return visitor.evaluate(
        """(() => {
            const board = document.querySelector("#board");
            const pieces = board.querySelectorAll("circle.graven-piece");
            return pieces.length || board.querySelector("svg")
                ? [...pieces].map((piece) => piece.outerHTML).join("") : board.innerText;
        })()"""
    )


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_gdl_game_is_drawn_again_after_every_move(visit, sheet):
    visitor = visit(f"#game=gdl(sheet={sheet})")
    two_persons(visitor)
    pictures = [board_picture(visitor)]
    for ply in range(3):
        player = visitor.evaluate("graven.state.persons_to_move[0]")
        move, cells = visitor.evaluate(f"graven.state.legal_moves[{player}][0]")
        if cells:
            for cell in dict.fromkeys([cells[0], cells[-1]]):
                visitor.cell(cell).click()
        else:
            visitor.page.locator(f"button.move-button:text-is({move!r})").first.click()
        wait_for_plies(visitor, ply + 1)
        pictures.append(board_picture(visitor))
    assert len(set(pictures)) == len(pictures)
    assert visitor.evaluate("Boolean(graven.state.svg)") == (sheet != "chineseCheckers3")
    visitor.screenshot(f"gdl-{sheet}")


def test_a_sheet_is_chosen_from_a_list(visit):
    visitor = visit("#game=nogo(size=4)")
    visitor.page.locator("#compare-start").wait_for(state="attached")
    visitor.page.locator("#new-game").click()
    visitor.page.locator("#setup-game").select_option("gdl")
    sheets = visitor.page.locator("#setup label", has_text="sheet").locator("select")
    assert sheets.locator("option").count() == 15
    sheets.select_option(label="Chinese checkers for three")
    assert visitor.page.locator("#setup fieldset").count() == 3  # one seat for each player
    sheets.select_option(label="Sheep and wolf")
    visitor.page.locator("#setup button[type=submit]").click()
    visitor.until("graven.state.game.title === 'Sheep and wolf'")


def test_one_click_on_the_first_screen_starts_a_game(visit):
    visitor = visit("", **DESK)
    button = visitor.page.get_by_role("button", name="Play Go 9x9 against GRAVE")
    button.wait_for()
    visitor.page.locator("#featured svg").first.wait_for()
    visitor.screenshot("first-screen")
    button.click()
    visitor.until("graven.state")
    assert visitor.evaluate("graven.state.game.spec") == "go(size=9)"
    assert visitor.evaluate("graven.state.seats[1]").startswith("grave")
    assert visitor.page.locator("#game-title").inner_text() == "Go 9x9"
    assert visitor.page.locator("#game-spec").inner_text() == "go(size=9)"
    visitor.cell("E5").click()
    wait_for_plies(visitor, 2)
    # The brand leads back to the choice of games; the game goes on.
    visitor.page.locator("#home").click()
    visitor.page.get_by_role("button", name="Continue Go 9x9").click()
    assert visitor.page.locator("#board svg").is_visible()
    assert visitor.page.locator("#toast").is_hidden()


def test_a_new_game_is_announced_at_once_and_the_old_board_is_gone(visit):
    visitor = visit("#game=nogo(size=4)")
    shown = visitor.evaluate(
        """(() => {
            graven.startGame({ game: "hex(size=5)" }, "Hex 5x5");
            const board = document.querySelector("#board");
            return [board.innerText, board.querySelectorAll("svg.board").length];
        })()"""
    )
    assert "Setting up Hex 5x5" in shown[0]
    assert shown[1] == 0
    visitor.until("graven.state.game.name === 'hex'")
    assert visitor.page.locator("#board svg.board").is_visible()
    # A game that cannot be made brings the board back.
    visitor.evaluate("graven.startGame({ game: 'hex(size=99)' }, 'Hex')")
    visitor.page.locator("#toast").wait_for()
    assert visitor.page.locator("#board svg.board").is_visible()
    assert visitor.page.locator("#game-title").inner_text() == "Hex 5x5"


@pytest.mark.parametrize("window", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("game", ["go(size=9)", "havannah(size=4)", "gdl(sheet=chineseCheckers3)"])
def test_the_controls_are_visible_without_scrolling(visit, game, window):
    visitor = visit(f"#game={game}", **window)
    controls = ["[data-action=undo]", "[data-action=resign]", "#status"]
    if game.startswith("go"):
        controls.append("#cell-less-moves button")
    size = window["viewport"]
    for control in controls:
        box = visitor.page.locator(control).first.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= size["height"]
        assert box["x"] + box["width"] <= size["width"]
    board = visitor.page.locator("#board").bounding_box()
    assert board["height"] > 200
    visitor.screenshot(f"controls-{game.split('(')[0]}-{size['width']}")


def test_moves_of_two_players_are_in_two_columns_and_long_moves_wrap(visit):
    visitor = visit("#game=gdl(sheet=ttcc4_2player)", **PHONE)
    two_persons(visitor)
    for ply in range(4):
        player = visitor.evaluate("graven.state.persons_to_move[0]")
        legal = visitor.evaluate(f"graven.state.legal_moves[{player}]")
        move = max((move for move, _ in legal), key=len)
        visitor.evaluate(f"graven.send('play', {{move: {move!r}, player: {player}, ply: {ply}}})")
        wait_for_plies(visitor, ply + 1)
    boxes = [each.bounding_box() for each in visitor.page.locator("#move-list button").all()]
    assert boxes[0]["y"] == boxes[1]["y"] < boxes[2]["y"] == boxes[3]["y"]
    assert boxes[0]["x"] == boxes[2]["x"] < boxes[1]["x"] == boxes[3]["x"]
    fits = "(element) => element.scrollWidth <= element.clientWidth"
    assert all(each.evaluate(fits) for each in visitor.page.locator("#move-list button").all())


def test_specs_are_not_broken_within_words(visit):
    visitor = visit("#game=nogo(size=4)", **PHONE)
    spec = "grave(ref=50,batch_leaves=4,bias=1e-6,playouts_per_leaf=2)"
    visitor.evaluate(f"graven.send('set_seats', {{seats: ['person', {spec!r}], playouts: 10}})")
    visitor.until("graven.state.seats[1].includes('batch_leaves')")
    total = visitor.evaluate("document.querySelector('#seats .spec-text').getClientRects().length")
    assert total > 1  # it is broken, but between words
    # At every width, so that each part reaches beyond the end of a line once.
    for characters in range(21, 45):
        lines = visitor.page.evaluate(LINES_OF_SPEC, characters)
        assert len(lines) == 5
        assert [part for part, count in lines if count > 1] == []


def test_an_invalid_spec_keeps_the_dialog_open_with_the_error_beside_the_field(visit):
    visitor = visit("#game=nogo(size=4)")
    page = visitor.page
    page.locator("#compare-start").wait_for(state="attached")
    page.locator("#new-game").click()
    size = page.locator("#setup label", has_text="size")
    size.locator("input").fill("99")
    page.locator("#setup input.spec:visible").fill("gravy")
    submit = page.locator("#setup button[type=submit]")
    submit.click()
    error = page.locator("#setup .agent-picker .message.invalid:visible")
    error.wait_for()
    assert "Did you mean 'grave'" in error.inner_text()
    assert visitor.evaluate("document.querySelector('#setup').open")
    page.locator("#setup input.spec:visible").fill("uct")
    submit.click()
    size.locator(".message.invalid").wait_for()
    assert "got 99" in size.locator(".message.invalid").inner_text()
    assert page.locator("#toast").is_hidden()
    visitor.screenshot("invalid-spec")
    size.locator("input").fill("5")
    page.locator("#setup .budget input").fill("0")
    submit.click()
    page.locator("#setup .budget .message:visible").wait_for()
    page.locator("#setup .budget input").fill("10")
    submit.click()
    visitor.until("graven.state.game.spec === 'nogo(size=5)'")
    assert not visitor.evaluate("document.querySelector('#setup').open")


@pytest.mark.parametrize(
    ("game", "move", "shape"),
    [
        ("hex(size=5)", "c3", "polygon"),
        ("go(size=5)", "C3", "circle"),
        ("breakthrough(size=5)", "a2a3", "rect"),
    ],
)
def test_the_mark_of_the_last_move_has_the_shape_of_the_cell(visit, game, move, shape):
    visitor = visit(f"#game={game}&moves={move}&paused=1")
    marks = visitor.page.locator("#board .marks .last")
    assert {mark.evaluate("(m) => m.tagName") for mark in marks.all()} == {shape}
    cell = visitor.cell(re.findall(r"[a-zA-Z]\d", move)[-1]).bounding_box()
    mark = marks.last.bounding_box()
    assert abs(cell["x"] + cell["width"] / 2 - mark["x"] - mark["width"] / 2) < 2


def test_the_heat_map_of_amaf_has_its_own_range_and_a_legend(visit):
    visitor = visit("#game=go(size=5)")
    visitor.page.locator("#tab-search").click()
    visitor.evaluate("graven.send('analyse', {slot: 'analysis', agent: 'grave', playouts: 2000})")
    visitor.until("graven.search && graven.search.status === 'done'")
    legend = visitor.page.locator("#heat-legend")
    for measure in ("mean", "amaf"):
        visitor.page.locator("#panel-search select").nth(0).select_option(measure)
        column = {"mean": "means", "amaf": "amaf_means"}[measure]
        total = visitor.evaluate("graven.search.visits.reduce((a, b) => a + b)")
        values = visitor.evaluate(
            f"graven.search.moves.map((move, i) => [move, graven.search.{column}[i], "
            "graven.search.visits[i]])"
        )
        least = -1 if measure == "amaf" else 0.002 * total
        drawn = [
            value
            for move, value, visits in values
            if move != "pass" and value is not None and visits > least
        ]
        numbers = [float(text) for text in re.findall(r"[\d.]+", legend.inner_text())]
        assert numbers == pytest.approx([100 * min(drawn), 100 * max(drawn)], abs=0.051)
        # The whole scale is used: from dark blue to yellow.
        spots = visitor.page.locator("#board .spot").all()
        fills = {spot.get_attribute("fill") for spot in spots}
        assert {"rgb(0 34 78)", "rgb(254 232 56)"} <= fills
    visitor.page.locator("#panel-search select").nth(1).select_option("off")
    assert legend.is_hidden()


def test_no_message_appears_that_nobody_asked_for(visit):
    visitor = visit("#game=nogo(size=4)")
    for tab in ("tree", "search", "game", "tree"):
        visitor.page.locator(f"#tab-{tab}").click()
    visitor.page.locator("#panel-tree button", has_text="Refresh").click()
    visitor.page.locator("#panel-tree .hint", has_text="no tree to show yet").wait_for()
    assert visitor.page.locator("#toast").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_plots_follow_the_colours_of_the_page(visit, scheme):
    visitor = visit("#view=experiments", color_scheme=scheme, **DESK)
    visitor.page.locator("#lab-tab-plots").click()
    plot = visitor.page.locator("#lab-plots img").first
    plot.wait_for()
    visitor.until("document.querySelector('#lab-plots img').naturalWidth")
    pixels = imread(io.BytesIO(plot.screenshot()))
    brightness = pixels[..., :3].mean()
    assert brightness > 0.85 if scheme == "light" else brightness < 0.35
    assert pixels[..., :3].max() - pixels[..., :3].min() > 0.5  # lines and texts can be seen
    visitor.screenshot(f"plots-{scheme}")


def test_a_game_of_the_command_line_has_a_board_and_is_played_by_clicks(visit):
    visitor = visit("")
    visitor.page.locator(".game-card", has_text="mygame").click()
    visitor.until("graven.state")
    assert visitor.page.locator("#game-title").inner_text() == "mygame"
    move, cells = visitor.evaluate("graven.state.legal_moves[0][3]")
    visitor.cell(cells[0]).click()
    wait_for_plies(visitor, 2)
    assert visitor.evaluate("graven.state.plies[0].move") == move
    assert visitor.page.locator("#board circle.graven-piece").count() == 2
    visitor.screenshot("own-game")


def test_on_a_phone_every_cell_of_a_match_names_its_column_and_nothing_scrolls_sideways(visit):
    visitor = visit("#view=experiments", **PHONE)
    rows = visitor.page.locator("#lab-matches tbody tr")
    rows.nth(1).wait_for()
    labels = visitor.page.locator("#lab-matches tbody tr:first-child td").evaluate_all(
        "(cells) => cells.map((cell) => getComputedStyle(cell, '::before').content)"
    )
    names = ["game", "first", "second", "budget", "win %", "games", "plies", ""]
    assert labels == [f'"{name}"' for name in names]
    narrow = "(element) => element.scrollWidth <= element.clientWidth"
    assert visitor.page.locator("#lab-matches .scroll").evaluate(narrow)
    visitor.screenshot("experiments-phone")
    visitor.page.locator("#lab-tab-tables").click()
    visitor.page.locator("#lab-tables li", has_text="1 of 3 run").get_by_role("button").click()
    visitor.page.locator("#lab-tables .verdict").first.wait_for()
    assert visitor.page.locator("#lab-tables .scroll").evaluate(narrow)
    visitor.screenshot("published-phone", full_page=True)


def test_a_long_title_is_broken_between_its_words(visit):
    visitor = visit("#game=gdl(sheet=ttcc4_2player)", **PHONE)
    title = visitor.page.locator("#game-title")
    assert title.inner_text() == "TicTacChessCheckersFour for two"
    parts = title.evaluate(
        """(title) => [...title.childNodes].filter((node) => node.data).map((node) => {
            const range = document.createRange();
            range.selectNodeContents(node);
            return [node.data, new Set([...range.getClientRects()].map((r) => r.top)).size];
        })"""
    )
    assert [part for part, _ in parts][:3] == ["Tic", "Tac", "Chess"]
    assert {lines for part, lines in parts if " " not in part} == {1}


def axe_violations(visitor):
    from axe_playwright_python.sync_playwright import Axe

    report = Axe().run(visitor.page).response["violations"]
    return [
        (violation["id"], node["html"][:120], node.get("failureSummary", "")[:200])
        for violation in report
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(visit, scheme):
    visitor = visit("", color_scheme=scheme, **DESK)
    visitor.page.locator("#featured svg").first.wait_for()
    found = {"start": axe_violations(visitor)}
    visitor.page.goto(visitor.server + "#game=go(size=5)&moves=C3+B2")
    visitor.until("graven.state")
    visitor.evaluate("graven.send('analyse', {slot: 'analysis', agent: 'grave', playouts: 500})")
    visitor.until("graven.search && graven.search.status === 'done'")
    for tab in ("game", "search", "tree"):
        visitor.page.locator(f"#tab-{tab}").click()
        visitor.page.wait_for_timeout(300)
        found[tab] = axe_violations(visitor)
    visitor.page.locator("[data-action=resign]").click()
    found["resign"] = axe_violations(visitor)
    visitor.page.locator("#keep-playing").click()
    visitor.page.locator("#new-game").click()
    visitor.page.locator("#setup .agent-details:visible > summary").click()
    found["dialog"] = axe_violations(visitor)
    visitor.page.keyboard.press("Escape")
    visitor.evaluate("graven.showView('compare')")
    found["compare"] = axe_violations(visitor)
    visitor.evaluate("graven.showView('experiments')")
    visitor.page.locator("#lab-matches tbody tr").nth(1).wait_for()
    found["matches"] = axe_violations(visitor)
    visitor.page.locator("#lab-matches button", has_text="Games").first.click()
    visitor.page.locator(".game-list button").first.click()
    visitor.page.locator("#lab-replay svg.board").wait_for()
    found["replay"] = axe_violations(visitor)
    visitor.page.locator("#lab-tab-tables").click()
    visitor.page.locator("#lab-tables li", has_text="1 of 3 run").locator("button").click()
    visitor.page.locator("#lab-tables .verdict").first.wait_for()
    found["tables"] = axe_violations(visitor)
    visitor.page.locator("#lab-tab-plots").click()
    visitor.page.locator("#lab-plots img").first.wait_for()
    found["plots"] = axe_violations(visitor)
    assert {name: violations for name, violations in found.items() if violations} == {}
