// The experiments view: matches, published tables with our results, plots, and recorded games.

import { fetchJson } from "./connection.js";
import { formatNumber, formatPercent, h, makeTabs, specText, toast } from "./dom.js";
import { ReplayPanel } from "./replay_panel.js";

const POLL_INTERVAL = 2000; // milliseconds
const MAX_ROWS = 400;
// Columns of the tables; "#" marks a column of numbers.
const MATCH_COLUMNS = ["game", "first", "second", "budget", "#win %", "#games", "#plies", ""];
const CELL_COLUMNS = ["cell", "first", "second", "#published", "#ours", "#games", "verdict", ""];
const TABS = { matches: "Matches", tables: "Published", plots: "Plots", replay: "Replay" };

export class ExperimentsView {
  constructor(host) {
    this.gameCounts = new Map(); // by match: the number of games when it was last shown
    this.isShown = false;
    this.filter = "";
    this.summary = h("p", { class: "hint", role: "status" });
    const tab = (id, selected) => h("button", { type: "button", role: "tab", id: `lab-tab-${id}`, "aria-controls": `lab-${id}`,
      "aria-selected": String(selected), tabindex: selected ? "0" : "-1" }, TABS[id]);
    const panel = (id, selected) => h("div", { role: "tabpanel", id: `lab-${id}`, "aria-labelledby": `lab-tab-${id}`, hidden: !selected });
    const ids = Object.keys(TABS);
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Experiments" }, ids.map((id, i) => tab(id, i === 0)));
    this.panels = Object.fromEntries(ids.map((id, i) => [id, panel(id, i === 0)]));
    host.replaceChildren(h("div", { class: "bar" }, h("h1", {}, "Experiments")), this.summary, list, ...Object.values(this.panels));
    this.selectTab = makeTabs(list, (id) => { this.tab = id.replace("lab-tab-", ""); this.load(); });
    this.tab = "matches";
    this.replay = new ReplayPanel(this.panels.replay);
  }

  show() { this.isShown = true; this.load(); this.poll(); }
  hide() { this.isShown = false; clearTimeout(this.timer); }

  // Load again whenever the store has changed.
  poll() {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      if (!this.isShown) return;
      try {
        const { stamp } = await fetchJson("/api/lab/stamp");
        if (stamp !== this.stamp && document.visibilityState === "visible") await this.load();
      } catch { /* the connection's status shows that the server is away */ }
      this.poll();
    }, POLL_INTERVAL);
  }

  async load() {
    const panel = this.panels[this.tab];
    if (!panel.childElementCount) panel.append(h("p", { class: "hint", role: "status" }, "Loading…"));
    try {
      if (this.tab === "matches") await this.loadMatches();
      if (this.tab === "tables") await this.loadPapers();
      if (this.tab === "plots") await this.loadPlots();
    } catch (error) {
      this.panels[this.tab].replaceChildren(h("p", { class: "hint" }, error.message));
    }
  }

  // Matches and their games.

  async loadMatches() {
    const answer = await fetchJson("/api/lab/matches");
    this.stamp = answer.stamp;
    this.matches = answer.matches;
    this.summary.textContent = `${formatNumber(answer.games)} games in ${formatNumber(answer.num_matches)} matches, from ${answer.path}.`;
    if (!this.matchTable) this.buildMatches();
    this.drawMatches();
  }

  buildMatches() {
    this.matchRows = h("tbody");
    const filter = h("input", { type: "search", placeholder: "Filter by game or agent", "aria-label": "Filter matches",
      oninput: () => { this.filter = filter.value.toLowerCase(); this.drawMatches(); } });
    this.gameList = h("div", { class: "card", hidden: true });
    this.matchTable = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Matches" }, h("table", { class: "results" },
      tableHead(MATCH_COLUMNS), this.matchRows));
    this.panels.matches.replaceChildren(h("div", { class: "row" }, filter), this.matchTable, this.gameList);
  }

  drawMatches() {
    const words = this.filter.split(/\s+/).filter(Boolean);
    const textOf = ({ game, first, second, budget }) => `${game} ${first} ${second} ${budget}`.toLowerCase();
    const filtered = this.matches.filter((match) => words.every((word) => textOf(match).includes(word))).reverse();
    this.matchRows.replaceChildren(...filtered.slice(0, MAX_ROWS).map((match) => this.matchRow(match)));
    for (const { match, games } of this.matches) this.gameCounts.set(match, games);
    if (!filtered.length) this.matchRows.append(h("tr", {}, h("td", { colspan: 8 }, "No match fits the filter.")));
  }

  matchRow(match) {
    const added = match.games - (this.gameCounts.get(match.match) ?? match.games);
    return tableRow(MATCH_COLUMNS, added > 0 ? "grown" : "", [
      specText(match.game), specText(match.first), specText(match.second), match.budget,
      interval(match.win_rate, match.low, match.high),
      [formatNumber(match.games), added > 0 ? h("em", {}, ` +${added}`) : null],
      match.mean_plies.toFixed(1),
      h("button", { type: "button", class: "quiet", onclick: () => this.listGames(match, 0) }, "Games")]);
  }

  async listGames(match, start) {
    try {
      const { games, page_size: pageSize } = await fetchJson("/api/lab/games", { match: match.match, start });
      const outcome = (game) => (game.outcome === 1 ? "first won" : game.outcome === 0 ? "second won" : "drawn");
      const pageButton = (label, at) => h("button", { type: "button", onclick: () => this.listGames(match, at) }, label);
      this.gameList.hidden = false;
      this.gameList.replaceChildren(
        h("h2", {}, `${match.first} against ${match.second} at ${match.game}`),
        h("div", { class: "game-list" }, games.map((game) => h("button", { type: "button", class: "quiet",
          onclick: () => this.openReplay(match.match, game.number) },
        `${game.number + 1}: ${outcome(game)}, ${game.plies} plies`))),
        h("div", { class: "actions" },
          start > 0 ? pageButton("Earlier", Math.max(0, start - pageSize)) : null,
          games.length === pageSize ? pageButton("Later", start + pageSize) : null));
      this.gameList.scrollIntoView({ block: "nearest" });
    } catch (error) { toast(error.message); }
  }

  async openReplay(match, number) {
    try {
      const game = await fetchJson("/api/lab/game", { match, number });
      this.selectTab("lab-tab-replay");
      await this.replay.show(game);
    } catch (error) { toast(error.message); }
  }

  // Published tables.

  async loadPapers() {
    const papers = await fetchJson("/api/lab/papers");
    this.stamp = (await fetchJson("/api/lab/stamp")).stamp;
    if (!this.tableHost) this.tableHost = h("div");
    this.panels.tables.replaceChildren(
      h("p", { class: "hint" }, "The figures of five papers and our results. Equivalent: an equivalence test shows that the difference is below 5 points; differs: it is significant at 5 %."),
      ...papers.map((paper) => this.paperCard(paper)),
      this.tableHost);
    if (this.selectedTable) await this.loadTable(...this.selectedTable, false);
  }

  paperCard(paper) {
    const progress = ({ run, figures, equivalent, differs }) => (run ? `${run} of ${figures} run, ${equivalent} equivalent, ${differs} differ` : "not run");
    return h("details", { class: "card", open: paper.tables.some((table) => table.run) },
      h("summary", {}, h("strong", {}, paper.authors), `: ${paper.title} `, h("span", { class: "hint" }, paper.venue)),
      h("ul", { class: "tables" }, paper.tables.map((table) => h("li", {},
        h("button", { type: "button", class: "link", onclick: () => this.loadTable(paper.name, table.name) },
          table.name === "text" ? "In the text" : `Table ${table.name}`),
        ` ${table.caption} `, h("span", { class: "hint" }, progress(table))))));
  }

  async loadTable(paper, name, scroll = true) {
    this.selectedTable = [paper, name];
    try {
      const table = await fetchJson("/api/lab/table", { paper, table: name });
      this.tableHost.replaceChildren(h("section", { class: "card" },
        h("h2", {}, `${table.paper}, table ${table.name}`), h("p", {}, table.caption),
        table.remark ? h("p", { class: "hint" }, table.remark) : null,
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Published figures" }, h("table", { class: "results" },
          tableHead(CELL_COLUMNS),
          h("tbody", {}, table.entries.map((entry) => this.entryRow(entry, table.measure)))))));
      if (scroll) this.tableHost.scrollIntoView({ block: "nearest" });
    } catch (error) { toast(error.message); }
  }

  entryRow(entry, measure) {
    const bounds = (low, high) => h("small", {}, ` ${low.toFixed(1)}–${high.toFixed(1)}`);
    const verdict = { equivalent: "✓ equivalent", differs: "✗ differs" }[entry.verdict] ?? entry.verdict;
    return tableRow(CELL_COLUMNS, entry.best ? "best" : "", [
      entry.place, specText(entry.first ?? ""), specText(entry.second ?? ""),
      [entry.published.toFixed(1), entry.published_ci95 === null || measure ? "" : bounds(...entry.published_ci95)],
      entry.win_rate === null ? "" : [entry.win_rate.toFixed(1), bounds(...entry.ci95)],
      entry.games ? formatNumber(entry.games) : "",
      h("span", { class: `verdict ${entry.verdict}` }, verdict),
      entry.match ? h("button", { type: "button", class: "quiet", onclick: () => this.openReplay(entry.match, 0) }, "Replay") : ""]);
  }

  // Plots.

  async loadPlots() {
    const plots = await fetchJson("/api/lab/plots");
    this.stamp = (await fetchJson("/api/lab/stamp")).stamp;
    if (!plots.length) {
      this.panels.plots.replaceChildren(h("p", { class: "hint" }, "Nothing to plot yet."));
      return;
    }
    const address = (name) => `/api/lab/plot?${new URLSearchParams({ name, v: this.stamp })}`;
    this.panels.plots.replaceChildren(h("div", { class: "plots" }, plots.map(({ name, caption, commands }) =>
      h("figure", { class: "card" },
        h("img", { src: address(name), alt: caption, loading: "lazy" }),
        h("figcaption", {}, caption, commands.map((command) => h("pre", {}, commandText(command))))))));
  }
}

// A command, which is broken between its words only.
const commandText = (command) => command.split(" ").flatMap((word, i) =>
  (i ? [" ", h("span", { class: "word" }, word)] : [h("span", { class: "word" }, word)]));

const columnClass = (name) => (name.startsWith("#") ? "n" : "");

function tableHead(names) {
  return h("thead", {}, h("tr", {}, names.map((name) =>
    name ? h("th", { scope: "col", class: columnClass(name) }, name.replace("#", "")) : h("td", {}))));
}

// A row; on a phone every cell shows the name of its column.
function tableRow(names, className, cells) {
  return h("tr", { class: className }, cells.map((cell, i) =>
    (cell === "" ? h("td") : h("td", { class: columnClass(names[i]), "data-label": names[i].replace("#", "") }, h("div", {}, cell)))));
}

function interval(rate, low, high) {
  if (rate === null) return "–";
  return [h("span", { class: "rate" }, formatPercent(rate)), h("small", {}, ` ${formatPercent(low)}–${formatPercent(high)}`)];
}
