"""The page in Chromium: with a mouse, with a keyboard, on a phone."""

from __future__ import annotations

import json
import re

import pytest

from tests.interfaces.web.helpers import wait_for_plies
from tests.interfaces.web.take_away_rules import TAKE_AWAY_RULES


def analyse(visitor, **fields):
    """Let an agent analyse the position on the Play board."""
    visitor.page.evaluate(
        "(fields) => graven.send('analyse', fields)", {"slot": "analysis", **fields}
    )


def test_a_whole_game_by_clicks(visit):
    visitor = visit("#game=breakthrough(size=4x3)")
    visitor.evaluate("graven.send('set_seats', {seats: ['person', 'uct'], playouts: 50})")
    for _ in range(60):
        visitor.until("graven.state.is_over || graven.state.persons_to_move.length")
        if visitor.evaluate("graven.state.is_over"):
            break
        plies = visitor.evaluate("graven.state.plies.length")
        move, (first, second) = visitor.evaluate("graven.state.legal_moves[0][0]")
        visitor.cell(first).click()
        visitor.cell(second).click()
        wait_for_plies(visitor, plies + 1)
        assert visitor.evaluate(f"graven.state.plies[{plies}].move") == move
    assert visitor.evaluate("graven.state.is_over")
    assert "wins" in visitor.page.locator("#status").inner_text()
    visitor.page.locator("#tab-game").click()
    assert visitor.page.locator("#move-list button").count() == visitor.evaluate(
        "graven.state.plies.length"
    )
    assert visitor.page.locator("#win-graph polyline").count() >= 1
    visitor.screenshot("a-game-is-over")


def test_legal_moves_are_shown_and_illegal_ones_are_refused(visit):
    visitor = visit("#game=breakthrough(size=5)")
    visitor.cell("c2").hover()
    assert visitor.page.locator("#board .hints .to").count() == 3
    visitor.cell("c5").hover()
    assert visitor.page.locator("#board .hints .to").count() == 0
    visitor.cell("c2").click()
    visitor.cell("c5").click()  # not a legal target
    visitor.cell("e5").click()
    assert visitor.evaluate("graven.state.plies.length") == 0
    visitor.cell("c2").click()
    visitor.screenshot("legal-moves")
    visitor.cell("c3").click()
    wait_for_plies(visitor, 1)


def test_a_piece_can_be_dragged(visit):
    visitor = visit("#game=knightthrough(size=5)")
    start, (origin, target) = visitor.evaluate("graven.state.legal_moves[0][0]")
    visitor.cell(origin).drag_to(visitor.cell(target))
    wait_for_plies(visitor, 1)
    assert visitor.evaluate("graven.state.plies[0].move") == start


def test_a_domino_takes_one_click_and_a_pass_is_a_button(visit):
    visitor = visit("#game=domineering(size=4)")
    visitor.cell("b1").click()
    wait_for_plies(visitor, 1)
    assert visitor.evaluate("graven.state.plies[0].move") == "b1b2"
    visitor = visit("#game=go(size=3)")
    visitor.page.locator("#cell-less-moves button", has_text="Pass").click()
    wait_for_plies(visitor, 1)
    assert visitor.evaluate("graven.state.plies[0].move") == "pass"


def test_undo_jumping_back_and_resigning(visit):
    visitor = visit("#game=nogo(size=4)")
    visitor.evaluate("graven.send('set_seats', {seats: ['person', 'uct'], playouts: 50})")
    visitor.cell("A1").click()
    wait_for_plies(visitor, 2)
    visitor.page.locator("[data-action=undo]").click()
    visitor.until("graven.state.plies.length === 0")
    visitor.cell("B2").click()
    wait_for_plies(visitor, 2)
    visitor.page.locator("#move-list button").first.click()
    visitor.until("graven.state.shown_ply === 1")
    assert "Looking back" in visitor.page.locator("#status").inner_text()
    visitor.page.locator("[data-jump=last]").click()
    visitor.until("graven.state.shown_ply === 2")
    visitor.page.locator("[data-action=resign]").click()
    visitor.page.locator("#keep-playing").click()
    assert not visitor.evaluate("graven.state.is_over")
    visitor.page.locator("[data-action=resign]").click()
    visitor.page.locator("#resign-now").click()
    visitor.until("graven.state.is_over")
    assert "resigned" in visitor.page.locator("#status").inner_text()


def test_watching_a_search(visit):
    visitor = visit("#game=go(size=7)")
    visitor.page.locator("#tab-search").click()
    visitor.evaluate(
        "graven.send('analyse', {slot: 'analysis', agent: 'grave(ref=50)', seconds: 3})"
    )
    visitor.until("graven.search && graven.search.playouts > 500")
    first = visitor.evaluate("graven.search.playouts")
    assert visitor.page.locator("#board .overlay .spot").count() > 3
    assert visitor.page.locator("#board .overlay .badge").count() >= 1
    visitor.until(f"graven.search.playouts > {first}")  # it continues
    visitor.until("graven.search.status === 'done'")
    rows = visitor.page.locator("#panel-search tbody tr")
    visits = [
        int(re.sub(r"\D", "", row.locator("td").nth(0).inner_text())) for row in rows.all()[:8]
    ]
    assert visits == sorted(visits, reverse=True)
    assert visits[0] > 0
    # More visits, less weight for AMAF: the best move's beta is below the tenth's.
    betas = visitor.evaluate("graven.search.betas")
    assert betas[0] < betas[9]
    rows.nth(1).click()
    assert "as playouts grow" in visitor.page.locator("#panel-search .subtitle").inner_text()
    assert visitor.page.locator("#panel-search .chart polyline").count() == 4
    visitor.screenshot("watching-a-search")
    visitor.page.locator("#panel-search select").nth(1).select_option("arrows")
    assert visitor.page.locator("#board .overlay .spot").count() > 0  # placed stones have no arrows
    visitor.page.locator("#panel-search select").nth(1).select_option("off")
    assert visitor.page.locator("#board .overlay .spot").count() == 0


def test_arrows_for_moves_between_two_cells(visit):
    visitor = visit("#game=breakthrough(size=5)")
    visitor.page.locator("#tab-search").click()
    visitor.page.locator("#panel-search select").nth(0).select_option("mean")
    visitor.page.locator("#panel-search select").nth(1).select_option("arrows")
    analyse(visitor, agent="uct", playouts=5000)
    visitor.until("graven.search && graven.search.status === 'done'")
    assert visitor.page.locator("#board .overlay .arrow").count() > 3
    visitor.screenshot("arrows")


def test_the_tree_and_which_amaf_table_is_read(visit):
    visitor = visit("#game=hex(size=11)")
    visitor.evaluate(
        "graven.send('analyse', {slot: 'analysis', agent: 'grave(ref=50)', playouts: 20000})"
    )
    visitor.until("graven.search && graven.search.status === 'done'")
    visitor.page.locator("#tab-tree").click()
    nodes = visitor.page.locator("#panel-tree .node")
    nodes.nth(8).wait_for()
    assert nodes.count() == 9  # the root and its eight most visited moves, of 121
    visitor.page.locator("#panel-tree .more").click()
    nodes.nth(108).wait_for()
    visitor.page.locator("#panel-tree .more").click()
    nodes.nth(121).wait_for()
    assert nodes.count() == 122  # with 121 children
    tree = visitor.page.locator(".tree")
    assert tree.evaluate("(tree) => tree.scrollWidth <= tree.clientWidth")
    visitor.page.locator("#panel-tree .node .toggle").nth(1).click()
    nodes.nth(129).wait_for()
    # The children of the first move are below it, and the second move is still in sight.
    levels = [nodes.nth(i).get_attribute("aria-level") for i in range(12)]
    assert levels == ["1", "2", *["3"] * 8, "2", "2"]
    frame, sibling = tree.bounding_box(), nodes.nth(10).bounding_box()
    assert sibling["y"] + sibling["height"] <= frame["y"] + frame["height"]
    nodes.nth(3).click()
    reads = visitor.page.locator("#panel-tree .node-detail .plain-list li")
    reads.filter(has_text="HRAVE reads the root's (20,000 playouts)").wait_for()
    assert reads.count() == 3
    assert "RAVE reads its own" in reads.first.inner_text()
    # With a ref that no node but the root exceeds, GRAVE reads the root's as well.
    visitor.page.locator("#tree-ref").fill("19999")
    visitor.page.locator("#tree-ref").press("Enter")
    visitor.page.locator(
        "#panel-tree .plain-list li", has_text="GRAVE (ref 19,999) reads the root's"
    ).wait_for()
    visitor.screenshot("tree", full_page=True)


def test_two_agents_side_by_side(visit):
    visitor = visit("#game=othello(size=6)&view=compare")
    visitor.page.locator("#compare-start").wait_for()
    visitor.page.locator(".budget input:visible").fill("3000")
    visitor.page.locator("#compare-start").click()
    sides = visitor.page.locator("#view-compare .side-by-side")
    for side in (0, 1):
        sides.nth(side).locator("tbody tr").nth(1).wait_for()
        sides.nth(side).get_by_text("3,000", exact=True).wait_for()
        assert sides.nth(side).locator(".overlay .spot").count() >= 1
    agents = [sides.nth(side).locator(".facts code").inner_text() for side in (0, 1)]
    assert agents == ["rave(bias=0.0001)", "grave(ref=50,bias=0.0001)"]
    visitor.screenshot("compare", full_page=True)


def test_the_searches_of_play_and_compare_are_kept_apart(visit):
    visitor = visit("#game=othello(size=6)")
    visitor.page.locator("#compare-start").wait_for(state="attached")
    visitor.page.locator("#tab-search").click()
    visitor.page.locator("summary", has_text="Analyse this position").click()
    visitor.page.locator("#panel-search input.spec").fill("uct")
    visitor.page.locator("#panel-search .budget input").fill("700")
    visitor.page.locator("#analyse").click()
    visitor.until("graven.search && graven.search.status === 'done'")
    sides = visitor.page.locator("#view-compare .side-by-side")
    visitor.evaluate("graven.showView('compare')")
    for side in sides.all():
        assert "No search yet" in side.inner_text()
        assert side.locator(".overlay .spot").count() == 0
    visitor.page.locator(".budget input:visible").fill("3000")
    visitor.page.locator("#compare-start").click()
    visitor.evaluate("graven.showView('play')")  # while they search
    for side in sides.all():
        side.locator(".facts dd", has_text=re.compile("^3,000$")).wait_for(state="attached")
    assert visitor.evaluate("[graven.search.slot, graven.search.playouts]") == ["analysis", 700]
    facts = visitor.page.locator("#panel-search .facts")
    assert "uct" in facts.inner_text()
    assert "700" in facts.inner_text()
    # A new game has neither of them, also after a reload.
    visitor.evaluate("graven.startGame({ game: 'othello(size=4)' }, 'Othello 4x4')")
    visitor.until("graven.state.game.spec === 'othello(size=4)'")
    for _ in range(2):
        assert visitor.evaluate("graven.search") is None
        visitor.evaluate("graven.showView('compare')")
        for side in sides.all():
            side.get_by_text("No search yet").wait_for()
        visitor.page.reload()
        visitor.until("window.graven && graven.state")
        visitor.page.locator("#compare-start").wait_for()


def test_two_agents_play_with_pause_and_step(visit):
    visitor = visit("#game=nogo(size=4)&paused=1")
    visitor.evaluate("graven.send('set_seats', {seats: ['uct', 'rave'], playouts: 30})")
    visitor.until("graven.state.seats[0] !== 'person'")
    assert visitor.evaluate("graven.state.paused && graven.state.plies.length === 0")
    visitor.page.locator("[data-action=step]").click()
    wait_for_plies(visitor, 1)
    assert visitor.evaluate("graven.state.paused")
    visitor.page.locator("[data-action=pause]").click()  # continue
    wait_for_plies(visitor, 4)
    visitor.page.locator("[data-action=pause]").click()
    visitor.until("graven.state.paused || graven.state.is_over")


def test_the_form_is_made_from_the_parameters_of_the_agents(visit):
    visitor = visit("#game=nogo(size=4)")
    visitor.until("!document.querySelector('#setup').open")
    visitor.page.locator("#new-game").click()
    visitor.page.locator("#setup-game").select_option("hex")
    setup = visitor.page.locator("#setup")
    setup.locator("label", has_text="size").locator("input").fill("4")
    setup.locator(".agent-details:visible > summary").click()
    field = setup.locator(".agent-form label", has_text="ref").first
    assert "Cazenave 2015" in field.inner_text()
    field.locator("input").fill("75")
    field.locator("input").press("Tab")
    playouts = setup.locator("label:has(> span:text-is('Playouts')) select")
    playouts.select_option("mast")
    assert setup.locator("input.spec:visible").input_value().startswith("grave(ref=75")
    assert setup.locator("input.spec:visible").input_value().endswith("+mast")
    visitor.screenshot("new-game")
    setup.locator("input.spec:visible").fill("gravy")
    setup.locator(".message.invalid:visible").wait_for()
    assert "Did you mean 'grave'" in setup.locator(".message.invalid:visible").inner_text()
    setup.locator("input.spec:visible").fill("grave(ref=75)")
    setup.locator("button[type=submit]").click()
    visitor.until("graven.state.game.spec === 'hex(size=4)'")
    assert visitor.evaluate("graven.state.seats[1]").startswith("grave(ref=75")


def test_a_reload_resumes_the_game_and_tabs_are_separate(visit):
    visitor = visit("#game=nogo(size=5)")
    visitor.evaluate("graven.send('set_seats', {seats: ['person', 'person']})")
    visitor.cell("C3").click()
    wait_for_plies(visitor, 1)
    other = visit("#game=nogo(size=5)")
    assert other.evaluate("graven.state.plies.length") == 0
    visitor.page.reload()
    visitor.until("window.graven && graven.state && graven.state.plies.length === 1")
    assert visitor.evaluate("graven.state.seats.join()") == "person,person"
    # A link opens the same position in another tab.
    link = visitor.page.url
    assert "moves=C3" in link
    third = visit(link[link.index("#") :])
    assert third.evaluate("graven.state.plies[0].move") == "C3"


def test_saving_and_opening(visit):
    visitor = visit("#game=go(size=5)&moves=C3+B2")
    with visitor.page.expect_download() as saving:
        visitor.page.locator("[data-action=json]").click()
    saved = json.loads(saving.value.path().read_text())
    assert saved["moves"] == ["C3", "B2"]
    with visitor.page.expect_download() as saving:
        visitor.page.locator("[data-action=sgf]").click()
    assert "B[cc]" in saving.value.path().read_text()
    other = visit("#game=nogo(size=4)")
    other.evaluate(f"graven.openFile('saved.json', {json.dumps(json.dumps(saved))})")
    other.until("graven.state.game.name === 'go' && graven.state.plies.length === 2")


def test_the_keyboard_is_enough(visit):
    visitor = visit("#game=nogo(size=4)")
    visitor.evaluate("graven.send('set_seats', {seats: ['person', 'person']})")
    visitor.until("graven.state.seats[1] === 'person'")
    visitor.page.keyboard.press("Tab")  # so that the focus is shown
    visitor.page.locator("#board svg").focus()
    announced = visitor.page.locator("#announce")
    visitor.page.keyboard.press("ArrowUp")
    visitor.page.keyboard.press("ArrowRight")
    name = announced.inner_text().split(",")[0]
    visitor.screenshot("keys")
    visitor.page.keyboard.press("Enter")
    wait_for_plies(visitor, 1)
    assert visitor.evaluate("graven.state.plies[0].move") == name
    visitor.page.locator("#type-move input").fill("d4")
    visitor.page.keyboard.press("Enter")
    wait_for_plies(visitor, 2)
    visitor.page.locator("main").focus()
    visitor.page.keyboard.press("u")
    visitor.until("graven.state.plies.length === 1")


def test_experiments(visit):
    visitor = visit("#view=experiments")
    page = visitor.page
    page.locator("#lab-matches tbody tr").nth(1).wait_for()
    assert "6 games in 2 matches" in page.locator("#view-experiments p").first.inner_text()
    page.locator("#lab-matches input").fill("nogo")
    assert page.locator("#lab-matches tbody tr").count() == 1
    visitor.screenshot("experiments")
    page.locator("#lab-matches button", has_text="Games").click()
    page.locator(".game-list button").first.click()
    page.locator("#lab-replay svg.board").wait_for()
    page.locator("#lab-replay .chart polyline").first.wait_for()
    stones = page.locator("#lab-replay svg.board circle[fill*='stone']")
    full = stones.count()
    assert full > 2
    page.get_by_label("First", exact=True).click()
    visitor.until(
        "document.querySelectorAll('#lab-replay svg.board circle[fill*=stone]').length === 0"
    )
    page.get_by_label("Forward", exact=True).click()
    visitor.until(
        "document.querySelectorAll('#lab-replay svg.board circle[fill*=stone]').length === 1"
    )
    visitor.screenshot("replay")
    page.locator("#lab-tab-tables").click()
    page.locator("#lab-tables li", has_text="1 of 3 run").get_by_role("button").click()
    page.locator("#lab-tables .verdict").first.wait_for()
    assert "67.8" in page.locator("#lab-tables table").inner_text()  # the published figure
    visitor.screenshot("published", full_page=True)
    page.locator("#lab-tab-plots").click()
    page.locator("#lab-plots img").first.wait_for()
    visitor.until(
        "[...document.querySelectorAll('#lab-plots img')].every(i => i.complete && i.naturalWidth)"
    )
    visitor.screenshot("plots", full_page=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_follow_the_system_and_the_switch(visit, scheme):
    visitor = visit("#game=breakthrough(size=6)", color_scheme=scheme)

    def brightness():
        colour = visitor.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(channel) for channel in re.findall(r"\d+", colour)[:3])

    first = brightness()
    assert (first > 600) == (scheme == "light")
    visitor.screenshot(f"{scheme}-breakthrough")
    visitor.page.locator("#theme").click()
    assert (brightness() > 600) != (scheme == "light")
    visitor.page.reload()
    assert (brightness() > 600) != (scheme == "light")


@pytest.mark.parametrize("view", ["play", "compare", "experiments"])
def test_nothing_is_wider_than_a_phone(visit, view):
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    visitor = visit(f"#game=hex(size=5)&view={view}", **phone)
    if view == "play":
        visitor.cell("c3").tap()
        wait_for_plies(visitor, 2)
        for tab in ("search", "tree", "game"):
            visitor.page.locator(f"#tab-{tab}").tap()
            assert visitor.evaluate("document.documentElement.scrollWidth") <= 360
    visitor.page.wait_for_timeout(300)
    assert visitor.evaluate("document.documentElement.scrollWidth") <= 360
    visitor.screenshot(f"phone-{view}", full_page=True)


def test_every_control_has_an_accessible_name(visit):
    visitor = visit("#game=go(size=5)")
    visitor.page.locator("#compare-start").wait_for(state="attached")
    unnamed = visitor.evaluate(
        """[...document.querySelectorAll('button, input, select')].filter((each) =>
            !(each.textContent.trim() || each.getAttribute('aria-label') || each.labels?.length))
            .map((each) => each.outerHTML)"""
    )
    assert unnamed == []


def test_an_invalid_link_shows_an_error(visit):
    visitor = visit("#game=nogo(size=4)")
    visitor.page.evaluate("location.hash = '#game=nogoo'")
    visitor.page.locator("#toast").wait_for()
    assert "Did you mean 'nogo'" in visitor.page.locator("#toast").inner_text()
    assert visitor.evaluate("graven.state.game.name") == "nogo"


def test_a_gdl_file_is_dropped_on_the_page_and_played(visit):
    visitor = visit("#game=nogo(size=4)")
    visitor.page.locator("#compare-start").wait_for(state="attached")
    visitor.evaluate(
        f"""(() => {{
            const data = new DataTransfer();
            data.items.add(new File([{json.dumps(TAKE_AWAY_RULES)}], "heap.kif"));
            dispatchEvent(new DragEvent("drop", {{ dataTransfer: data }}));
        }})()"""
    )
    visitor.page.locator("#setup[open] button[type=submit]").click()
    visitor.until("graven.state.game.from_rules")
    assert visitor.page.locator("#game-title").inner_text() == "heap.kif"
    assert "heap 5" in visitor.page.locator("#board").inner_text()
    # Taking two of five leaves three, which is lost for the opponent.
    visitor.page.locator("#other-moves button", has_text="take 2").click()
    visitor.until("graven.state.persons_to_move.length && graven.state.plies.length === 2")
    taken = visitor.evaluate("graven.state.plies[1].move")
    visitor.screenshot("gdl")
    rest = "take 2" if "take 1" in taken else "take 1"
    visitor.page.locator("#other-moves button", has_text=rest).click()
    visitor.until("graven.state.is_over")
    assert "white wins" in visitor.page.locator("#status").inner_text().lower()
    visitor.evaluate("graven.openFile('broken.kif', '(role white')")
    visitor.page.locator("#setup[open] button[type=submit]").click()
    error = visitor.page.locator("#setup[open] .message.invalid:visible")
    error.wait_for()
    assert "broken.kif" in error.inner_text()


def test_a_gdl_game_of_the_package_has_a_link(visit):
    visitor = visit("#game=gdl(sheet=ttcc4_2player)")
    visitor.evaluate("graven.send('set_seats', {seats: ['person', 'person']})")
    visitor.until("graven.state.seats[1] === 'person'")
    move = visitor.page.locator("#cell-less-moves button").first.inner_text()
    visitor.page.locator("#cell-less-moves button").first.click()
    wait_for_plies(visitor, 1)
    link = visitor.page.url
    other = visit(link[link.index("#") :])
    assert other.evaluate("graven.state.plies[0].move") == visitor.evaluate(
        "graven.state.plies[0].move"
    )
    assert other.evaluate("graven.state.plies[0].move") == move


def test_the_panel_warns_where_amaf_misleads(visit):
    visitor = visit("#game=nogo(size=4)")
    text = visitor.evaluate(
        """async () => {
          const { SearchPanel } = await import("/static/search_panel.js");
          const host = document.createElement("div");
          const panel = new SearchPanel(host);
          const search = { agent: "grave", status: "done", ply: 0, player: 0, playouts: 100,
            seconds: 1, moves: ["a1"], visits: [100], means: [0.5], amaf_means: [0.4],
            amaf_visits: [100], betas: [0.1], values: [0.5] };
          panel.show({ ...search, amaf_misleads: true });
          const warned = host.querySelector("p.hint").textContent;
          panel.show({ ...search, amaf_misleads: false });
          return [warned, host.querySelector("p.hint").textContent];
        }"""
    )
    assert "AMAF values order the moves of this tree" in text[0]
    assert text[1] == ""
