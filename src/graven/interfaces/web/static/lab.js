// Experiments: matches, published tables with ours beside them, plots, and games to replay.

import { h, number, percent, tabs, toast } from "./dom.js";
import { Board } from "./board.js";
import { chart } from "./chart.js";
import { tone } from "./colours.js";
import { fetched } from "./socket.js";

const LOOK_AGAIN = 2000; // milliseconds

export class Laboratory {
  constructor(host) {
    this.host = host;
    this.counts = new Map();
    this.shown = false;
    this.filter = "";
    const tab = (id, name, on) => h("button", { type: "button", role: "tab", id: `lab-tab-${id}`, "aria-controls": `lab-${id}`,
      "aria-selected": String(on), tabindex: on ? "0" : "-1" }, name);
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Experiments" },
      tab("matches", "Matches", true), tab("tables", "Published", false), tab("plots", "Plots", false), tab("replay", "Replay", false));
    const panel = (id, on) => h("div", { role: "tabpanel", id: `lab-${id}`, "aria-labelledby": `lab-tab-${id}`, hidden: !on });
    this.summary = h("p", { class: "hint", role: "status" });
    this.panels = Object.fromEntries(["matches", "tables", "plots", "replay"].map((id, i) => [id, panel(id, i === 0)]));
    host.replaceChildren(h("div", { class: "bar" }, h("h1", {}, "Experiments")), this.summary, list, ...Object.values(this.panels));
    this.go = tabs(list, (id) => { this.tab = id.replace("lab-tab-", ""); this.load(); });
    this.tab = "matches";
    this.panels.replay.append(h("p", { class: "hint" }, "Choose a match, then one of its games."));
  }

  show() { this.shown = true; this.load(); this.watch(); }
  hide() { this.shown = false; clearTimeout(this.timer); }

  // Running experiments: look again whenever the store has changed.
  watch() {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      if (!this.shown) return;
      try {
        const { stamp } = await fetched("/api/lab/stamp");
        if (stamp !== this.stamp && document.visibilityState === "visible") await this.load();
      } catch { /* the server is away: the connection says so */ }
      this.watch();
    }, LOOK_AGAIN);
  }

  async load() {
    try {
      if (this.tab === "matches") await this.matches();
      if (this.tab === "tables") await this.papers();
      if (this.tab === "plots") await this.plots();
    } catch (error) {
      this.panels[this.tab].replaceChildren(h("p", { class: "hint" }, error.message));
    }
  }

  async matches() {
    const said = await fetched("/api/lab/matches");
    this.stamp = said.stamp;
    this.said = said;
    this.summary.textContent = `${number(said.games)} games in ${number(said.matches.length + said.left)} matches, from ${said.path}.`;
    if (!this.table) {
      this.body = h("tbody");
      this.search = h("input", { type: "search", placeholder: "Filter by game or agent", "aria-label": "Filter matches",
        oninput: () => { this.filter = this.search.value.toLowerCase(); this.rows(); } });
      this.games = h("div", { class: "card", hidden: true });
      this.table = h("div", { class: "scroll" }, h("table", { class: "results" },
        h("thead", {}, h("tr", {}, ["game", "first", "second", "budget", "!won %", "!games", "!plies", ""].map((name) =>
          h("th", { scope: "col", class: name.startsWith("!") ? "n" : "" }, name.replace("!", ""))))), this.body));
      this.panels.matches.replaceChildren(h("div", { class: "row" }, this.search), this.table, this.games);
    }
    this.rows();
  }

  rows() {
    const words = this.filter.split(/\s+/).filter(Boolean);
    const wanted = this.said.matches.filter((each) => words.every((word) =>
      `${each.game} ${each.first} ${each.second} ${each.budget}`.toLowerCase().includes(word))).reverse();
    this.body.replaceChildren(...wanted.slice(0, 400).map((each) => {
      const before = this.counts.get(each.match) ?? each.games;
      const grown = each.games - before;
      return h("tr", { class: grown > 0 ? "grown" : "" },
        h("td", {}, each.game), h("td", {}, h("code", {}, each.first)), h("td", {}, h("code", {}, each.second)), h("td", {}, each.budget),
        h("td", { class: "n" }, interval(each.rate, each.low, each.high)),
        h("td", { class: "n" }, number(each.games), grown > 0 ? h("em", {}, ` +${grown}`) : null),
        h("td", { class: "n" }, each.plies.toFixed(1)),
        h("td", {}, h("button", { type: "button", class: "quiet", onclick: () => this.list(each, 0) }, "Games")));
    }));
    for (const each of this.said.matches) this.counts.set(each.match, each.games);
    if (!wanted.length) this.body.append(h("tr", {}, h("td", { colspan: 8 }, "No match fits.")));
  }

  async list(match, start) {
    try {
      const said = await fetched("/api/lab/games", { match: match.match, start });
      this.games.hidden = false;
      this.games.replaceChildren(
        h("h2", {}, `${match.first} against ${match.second} at ${match.game}`),
        h("div", { class: "game-list" }, said.games.map((each) => h("button", { type: "button", class: "quiet",
          onclick: () => this.replay(match.match, each.number) },
          `${each.number + 1}: ${each.outcome === 1 ? "first won" : each.outcome === 0 ? "second won" : "drawn"}, ${each.plies} plies`))),
        h("div", { class: "actions" },
          start > 0 ? h("button", { type: "button", onclick: () => this.list(match, Math.max(0, start - 100)) }, "Earlier") : null,
          said.games.length === 100 ? h("button", { type: "button", onclick: () => this.list(match, start + 100) }, "Later") : null));
      this.games.scrollIntoView({ block: "nearest" });
    } catch (error) { toast(error.message); }
  }

  async papers() {
    const said = await fetched("/api/lab/papers");
    this.stamp = (await fetched("/api/lab/stamp")).stamp;
    if (!this.tableHost) this.tableHost = h("div");
    this.panels.tables.replaceChildren(
      h("p", { class: "hint" }, "What five papers published, and what we have of it: a figure agrees if the intervals overlap."),
      ...said.map((paper) => h("details", { class: "card", open: paper.tables.some((each) => each.run) },
        h("summary", {}, h("strong", {}, paper.authors), `: ${paper.title} `, h("span", { class: "hint" }, paper.where)),
        h("ul", { class: "tables" }, paper.tables.map((table) => h("li", {},
          h("button", { type: "button", class: "link", onclick: () => this.published(paper.name, table.name) }, table.name === "text" ? "In the text" : `Table ${table.name}`),
          ` ${table.caption} `, h("span", { class: "hint" }, table.run ? `${table.run} of ${table.figures} run, ${table.agrees} agree` : "not run")))))),
      this.tableHost);
    if (this.chosen) await this.published(...this.chosen, false);
  }

  async published(paper, name, scroll = true) {
    this.chosen = [paper, name];
    try {
      const said = await fetched("/api/lab/table", { paper, table: name });
      this.tableHost.replaceChildren(h("section", { class: "card" },
        h("h2", {}, `${said.paper}, table ${said.name}`), h("p", {}, said.caption), said.odd ? h("p", { class: "hint" }, said.odd) : null,
        h("div", { class: "scroll" }, h("table", { class: "results" },
          h("thead", {}, h("tr", {}, ["cell", "first", "second", "!published", "!ours", "!games", "verdict", ""].map((each) =>
            h("th", { scope: "col", class: each.startsWith("!") ? "n" : "" }, each.replace("!", ""))))),
          h("tbody", {}, said.entries.map((each) => h("tr", { class: each.best ? "best" : "" },
            h("td", {}, each.place), h("td", {}, h("code", {}, each.first ?? "")), h("td", {}, h("code", {}, each.second ?? "")),
            h("td", { class: "n" }, each.published.toFixed(1), each.published_low === null || said.measure ? "" : h("small", {}, ` ${each.published_low.toFixed(1)}–${each.published_high.toFixed(1)}`)),
            h("td", { class: "n" }, each.ours === null ? "" : [each.ours.toFixed(1), h("small", {}, ` ${each.low.toFixed(1)}–${each.high.toFixed(1)}`)]),
            h("td", { class: "n" }, each.games ? number(each.games) : ""),
            h("td", {}, h("span", { class: `verdict ${each.verdict}` }, { agrees: "✓ agrees", differs: "✗ differs" }[each.verdict] ?? each.verdict)),
            h("td", {}, each.match ? h("button", { type: "button", class: "quiet", onclick: () => this.replay(each.match, 0) }, "Replay") : null))))))));
      if (scroll) this.tableHost.scrollIntoView({ block: "nearest" });
    } catch (error) { toast(error.message); }
  }

  async plots() {
    const said = await fetched("/api/lab/plots");
    this.stamp = (await fetched("/api/lab/stamp")).stamp;
    if (!said.length) { this.panels.plots.replaceChildren(h("p", { class: "hint" }, "Nothing to draw yet.")); return; }
    this.panels.plots.replaceChildren(h("div", { class: "plots" }, said.map((each) => h("figure", { class: "card" },
      h("img", { src: `/api/lab/plot?${new URLSearchParams({ name: each.name, v: this.stamp })}`, alt: each.caption, loading: "lazy" }),
      h("figcaption", {}, each.caption, each.commands.map((command) => h("pre", {}, command)))))));
  }

  async replay(match, number_) {
    try {
      const said = await fetched("/api/lab/game", { match, number: number_ });
      this.game = said;
      this.go("lab-tab-replay");
      const frame = h("div", { class: "board-frame" });
      this.board = new Board(frame);
      this.slider = h("input", { type: "range", min: "0", max: String(said.moves.length), value: "0", "aria-label": "Ply",
        oninput: () => this.ply(Number(this.slider.value)) });
      this.graph = h("div", { class: "chart" });
      this.moves = h("ol", { class: "move-list" });
      this.where = h("p", { class: "status", role: "status" });
      const step = (by, name, sign) => h("button", { type: "button", "aria-label": name, onclick: () => this.ply(this.at + by) }, sign);
      this.panels.replay.replaceChildren(h("div", { class: "replay" },
        h("div", {}, frame, this.where, h("div", { class: "row" }, step(-1e6, "First", "«"), step(-1, "Back", "‹"), this.slider, step(1, "On", "›"), step(1e6, "Last", "»"))),
        h("div", {}, h("section", { class: "card" },
          h("h2", {}, `${said.game}, game ${said.number + 1}`),
          h("ul", { class: "reads" }, said.players.map((name, player) => h("li", {}, h("span", { class: `stone ${tone(said.players, player)}` }), " ", h("strong", {}, name), " ", h("code", {}, said.seats[player]), ` ${percent(said.scores[player], 0)} %`))),
          h("p", { class: "hint" }, said.budget, " a move")),
          h("section", { class: "card" }, h("h2", {}, "Evaluations"), this.graph),
          h("section", { class: "card" }, h("h2", {}, "Moves"), this.moves))));
      await this.ply(said.moves.length);
    } catch (error) { toast(error.message); }
  }

  async ply(wanted) {
    const game = this.game;
    const ply = Math.max(0, Math.min(game.moves.length, wanted));
    this.at = ply;
    this.slider.value = String(ply);
    const value = ply ? game.values[ply - 1] : null;
    this.where.textContent = ply === 0 ? "The start." : `Move ${ply} of ${game.moves.length}: ${game.moves[ply - 1]}`
      + (value === null || value === undefined ? "" : `, whose player gave itself ${percent(value)} %`);
    this.moves.replaceChildren(...game.moves.map((move, i) => h("li", {}, h("button", { type: "button", class: i + 1 === ply ? "here" : "", onclick: () => this.ply(i + 1) }, move))));
    chart(this.graph, { series: estimates(game.players, game.values.map((each, i) => (each === null ? null : [game.movers[i][0], each]))),
      xMost: game.moves.length, cursor: ply, middle: 0.5, onPick: (at) => this.ply(at), label: "Win estimates through the game", xName: "ply",
      empty: "No evaluations were recorded for this game." });
    const said = await fetched("/api/lab/position", { match: game.match, number: game.number, ply });
    if (said.ply === this.at && this.game === game) this.board.show({ svg: said.svg, text: said.text, last: said.cells, label: `Position after ${ply} moves` });
  }
}

// Notes [player, value, ...] by ply as lines: with two players all of it is the first one's chance.
export function estimates(players, notes) {
  const lines = players.map((label, player) => ({ label: players.length === 2 ? `${players[0]}'s chances, by ${label}` : label, points: [], player }));
  notes.forEach((note, i) => {
    if (!note) return;
    const [player, value] = note;
    lines[player].points.push([i + 1, players.length === 2 && player === 1 ? 1 - value : value]);
  });
  return lines;
}

function interval(rate, low, high) {
  if (rate === null) return "–";
  return [h("span", { class: "rate" }, percent(rate)), h("small", {}, ` ${percent(low)}–${percent(high)}`)];
}
