// The search panel: status, a table of the root's moves, and how their values change with playouts.

import { formatDecimal, formatNumber, formatPercent, formatSeconds, h, specText } from "./dom.js";
import { chart } from "./chart.js";
import { heatColour } from "./colours.js";

const SHOWN_ROWS = 14;
const MIN_SHARE = 0.002; // moves with a smaller share of the visits are not drawn on the board
const TRACKED_MOVES = 40; // moves whose history is recorded
const MAX_HISTORY = 240; // points of a move's history
const MAX_PLOTTED = 1.5; // larger values, of exploration terms, are not plotted

const AMAF_WARNING = "AMAF values order the moves of this tree hardly better than chance, so they may mislead the search. Compare it with uct.";

const COLUMNS = [
  ["move", ""],
  ["visits", "playouts that began with the move"],
  ["mean", "mean score of those playouts"],
  ["AMAF", "mean score of all playouts that contain the move, in the AMAF table that is read at the root"],
  ["β", "the weight of AMAF"],
  ["value", "the value that the tree policy compares"],
];

export const isRunning = (search) => ["waiting", "compiling", "searching"].includes(search.status);

// What a search does before its first playouts are known.
export function preparationText({ status, seconds }) {
  if (status === "waiting") return "Waiting for a free thread…";
  if (status === "compiling") return `Compiling the search, the first time only: ${formatSeconds(seconds)}`;
  return "Searching…";
}

// The moves of a search as rows for `Board.showSearch`, and the range of their values for the legend.
// measure: "visits", "mean" or "amaf". Values are scaled to the range of those that are drawn.
export function overlayRows(search, cellsOfMove, measure) {
  const total = search.visits?.reduce((sum, visits) => sum + visits, 0) || 1;
  const isShare = measure === "visits";
  const rows = [];
  (search.moves ?? []).forEach((move, i) => {
    const share = search.visits[i] / total;
    const value = { visits: share, mean: search.means[i], amaf: search.amaf_means[i] }[measure];
    if (value === null || (measure !== "amaf" && (!search.visits[i] || share < MIN_SHARE))) return;
    rows.push({ cells: cellsOfMove.get(move) ?? [], share, value, isShare });
  });
  if (isShare) addSharesByTarget(rows);
  const drawn = rows.filter((row) => row.cells.length); // a pass is on no cell
  const values = drawn.map((row) => row.value);
  const low = isShare ? 0 : Math.min(...values), high = Math.max(...values);
  for (const row of drawn) {
    row.scaled = high > low ? (row.value - low) / (high - low) : 1;
    row.label = String(Math.round(100 * row.value));
  }
  return { rows: drawn, range: drawn.length ? { low, high, measure } : null };
}

// Several moves may lead to one cell, whose spot shows the visits of all of them.
function addSharesByTarget(rows) {
  const firstRows = new Map();
  for (const row of rows) {
    const target = row.cells.at(-1), first = firstRows.get(target);
    if (!target) continue;
    if (first) first.value += row.share;
    else firstRows.set(target, row);
  }
}

export class SearchPanel {
  // `label` distinguishes several panels; `emptyText` is shown before the first search.
  constructor(host, { label = "", emptyText = "" } = {}) {
    this.emptyText = emptyText;
    this.facts = h("dl", { class: "facts" });
    this.note = h("p", { class: "hint" });
    this.body = h("tbody");
    this.more = h("button", { type: "button", class: "quiet", hidden: true,
      onclick: () => { this.showAll = !this.showAll; this.draw(); } }, "Show all moves");
    this.graph = h("div", { class: "chart" });
    this.graphTitle = h("h2", { class: "subtitle" }, "As visits grow");
    host.append(this.facts, this.note,
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Moves of the root${label && `, ${label}`}` }, h("table", { class: "moves" },
        h("caption", { class: "visually-hidden" }, "Moves of the root by playouts"),
        h("thead", {}, h("tr", {}, COLUMNS.map(([name, title], i) =>
          h("th", { scope: "col", class: i ? "n" : "", title }, name)))),
        this.body)),
      this.more, this.graphTitle, this.graph,
      h("p", { class: "hint" }, "The value that the tree policy compares: (1 − β) · mean + β · AMAF, and an "
        + "exploration term where there is one. Choose a row to plot its move."));
    this.showAll = false;
    this.reset();
  }

  reset() {
    this.search = null;
    this.history = new Map();
    this.selectedMove = null;
    this.key = "";
    this.draw();
  }

  show(search) {
    const key = `${search.agent} ${search.ply} ${search.player}`;
    if (key !== this.key || (this.search && search.playouts < this.search.playouts)) {
      this.key = key;
      this.history = new Map();
      this.selectedMove = null;
    }
    this.search = search;
    this.record(search);
    this.draw();
  }

  record(search) {
    (search.moves ?? []).slice(0, TRACKED_MOVES).forEach((move, i) => {
      if (!this.history.has(move)) this.history.set(move, []);
      const points = this.history.get(move);
      if (points.at(-1)?.playouts === search.playouts) return;
      points.push({ playouts: search.playouts, mean: search.means[i], amaf: search.amaf_means[i],
        beta: search.betas[i], value: search.values[i] });
      // A long history is thinned to every other point.
      if (points.length > MAX_HISTORY) this.history.set(move, points.filter((_, index) => index % 2 === 0));
    });
  }

  draw() {
    const search = this.search;
    if (!search) {
      this.facts.replaceChildren();
      this.note.textContent = this.emptyText;
      this.body.replaceChildren();
      this.graph.replaceChildren();
      this.graphTitle.hidden = true;
      return;
    }
    this.drawFacts(search);
    const moves = search.moves ?? [];
    const mostVisits = Math.max(1, ...(search.visits ?? [1]));
    const shown = this.showAll ? moves.length : Math.min(SHOWN_ROWS, moves.length);
    this.body.replaceChildren(...moves.slice(0, shown).map((_, i) => this.row(search, i, mostVisits)));
    this.more.hidden = moves.length <= SHOWN_ROWS;
    this.more.textContent = this.showAll ? "Show fewer" : `Show all ${moves.length} moves`;
    this.plot(this.selectedMove && moves.includes(this.selectedMove) ? this.selectedMove : moves[0]);
  }

  drawFacts(search) {
    const fact = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    const goal = search.budget_playouts && search.status === "searching" ? ` of ${formatNumber(search.budget_playouts)}` : "";
    this.facts.replaceChildren(
      h("div", { class: "whole" }, h("dt", { class: "visually-hidden" }, "agent"), h("dd", {}, specText(search.agent))),
      fact("playouts", formatNumber(search.playouts) + goal),
      fact("a second", search.playouts_per_second ? formatNumber(search.playouts_per_second) : "–"),
      fact("time", formatSeconds(search.seconds)),
      fact("win estimate", search.value === undefined || search.value === null ? "–" : `${formatPercent(search.value)} %`),
      ...(search.proof ? [fact("proven", search.proof)] : []));
    const misled = search.amaf_misleads ? AMAF_WARNING : "";
    this.note.textContent = search.error || (isRunning(search) && !search.playouts ? preparationText(search) : misled);
  }

  row(search, i, mostVisits) {
    const move = search.moves[i], beta = search.betas[i], share = search.visits[i] / mostVisits;
    const isSelected = move === this.selectedMove;
    const select = () => { this.selectedMove = isSelected ? null : move; this.draw(); };
    return h("tr", { class: isSelected ? "selected" : "", onclick: select },
      h("th", { scope: "row" }, h("button", { type: "button", class: "cell", "aria-pressed": String(isSelected),
        onclick: (event) => { event.stopPropagation(); select(); } }, move),
      ...(search.proofs?.[i] ? [h("small", { class: "proof" }, ` ${search.proofs[i]}`)] : [])),
      h("td", { class: "n share" },
        h("i", { style: { width: `${100 * share}%`, background: heatColour(share) } }),
        h("span", {}, formatNumber(search.visits[i]))),
      h("td", { class: "n" }, formatDecimal(search.means[i])),
      h("td", { class: "n", title: `${formatNumber(search.amaf_visits[i])} playouts contain it` }, formatDecimal(search.amaf_means[i])),
      h("td", { class: "n beta" }, beta === null ? "–"
        : [h("i", { style: { width: `${100 * Math.min(1, beta)}%` } }), h("span", {}, beta.toFixed(2))]),
      h("td", { class: "n" }, formatDecimal(search.values[i])));
  }

  plot(move) {
    this.graphTitle.hidden = !move;
    this.graphTitle.textContent = move ? `${move}, as playouts grow` : "";
    if (!move) { this.graph.replaceChildren(); return; }
    const history = this.history.get(move) ?? [];
    const points = (name) => history.filter((point) => point[name] !== null).map((point) => [point.playouts, point[name]]);
    const values = history.flatMap(({ mean, amaf, value, beta }) => [mean, amaf, value, beta])
      .filter((value) => value !== null && value <= MAX_PLOTTED);
    chart(this.graph, {
      series: [
        { label: "mean", points: points("mean"), dots: false, colour: "var(--line-1)", dash: "" },
        { label: "AMAF", points: points("amaf"), dots: false, colour: "var(--line-2)", dash: "7 4" },
        { label: "value", points: points("value").filter(([, y]) => y <= MAX_PLOTTED), dots: false, colour: "var(--line-3)", dash: "2 3" },
        { label: "β", points: points("beta"), dots: false, colour: "var(--line-4)", dash: "9 3 2 3" },
      ],
      height: 170, high: Math.max(1, ...values), xLow: Math.max(1, history[0]?.playouts ?? 1), log: true, xName: "playouts",
      label: `Mean, AMAF, value and beta of ${move} over playouts`,
    });
  }
}
