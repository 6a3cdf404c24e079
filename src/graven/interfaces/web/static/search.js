// What a search believes: figures, a table of the root's moves, and how RAVE gives way to the mean.

import { h, number, percent, plain, seconds } from "./dom.js";
import { chart } from "./chart.js";
import { heat } from "./colours.js";

export const MEASURES = { visits: "visits", mean: "mean", amaf: "AMAF" };
const ROWS = 14;
const LEAST = 0.002; // moves that get less of the playouts are not drawn on the board

// Rows for Board.believe: how each move is to be drawn.
export function beliefs(think, cellsOf, measure) {
  const total = think.visits?.reduce((sum, each) => sum + each, 0) || 1;
  const rows = (think.moves ?? []).map((move, i) => {
    const share = think.visits[i] / total;
    const value = measure === "mean" ? think.means[i] : measure === "amaf" ? think.amafs[i] : share;
    return { move, cells: cellsOf.get(move) ?? [], share, measure: value ?? 0, adds: measure === "visits",
      skip: value === null || (measure !== "amaf" && (!think.visits[i] || share < LEAST)),
      text: (each) => String(Math.round(100 * each)), label: String(Math.round(100 * (value ?? 0))) };
  }).filter((row) => !row.skip);
  // Means lie close together: the colours go from the worst of those drawn to the best.
  if (measure !== "visits" && rows.length > 1) {
    const values = rows.map((row) => row.measure), low = Math.min(...values), span = Math.max(...values) - low || 1;
    for (const row of rows) row.measure = (row.measure - low) / span;
  }
  return rows;
}

export class SearchPanel {
  // onSelect() is called when another move is chosen for the chart.
  constructor(host) {
    this.facts = h("dl", { class: "facts" });
    this.note = h("p", { class: "hint" });
    this.body = h("tbody");
    this.more = h("button", { type: "button", class: "quiet", hidden: true,
      onclick: () => { this.all = !this.all; this.draw(); } }, "Show all moves");
    this.graph = h("div", { class: "chart" });
    this.graphTitle = h("h3", {}, "As visits grow");
    host.append(this.facts, this.note,
      h("div", { class: "scroll" }, h("table", { class: "moves" },
        h("caption", { class: "unseen" }, "Moves of the root by playouts"),
        h("thead", {}, h("tr", {}, ["move", "visits", "mean", "AMAF", "β", "value"].map((name, i) =>
          h("th", { scope: "col", class: i ? "n" : "", title: TITLES[i] }, name)))),
        this.body)),
      this.more, this.graphTitle, this.graph,
      h("p", { class: "hint" }, "The value that the tree policy compares: (1 − β) · mean + β · AMAF, and an "
        + "exploration term where there is one. Choose a row to follow its move."));
    this.all = false;
    this.reset();
  }

  reset() {
    this.think = null;
    this.history = new Map();
    this.selected = null;
    this.key = "";
    this.draw();
  }

  show(think) {
    const key = `${think.agent} ${think.ply} ${think.player}`;
    if (key !== this.key || (this.think && think.playouts < this.think.playouts)) {
      this.key = key;
      this.history = new Map();
      this.selected = null;
    }
    this.think = think;
    (think.moves ?? []).slice(0, 40).forEach((move, i) => {
      if (!this.history.has(move)) this.history.set(move, []);
      const known = this.history.get(move);
      if (known.at(-1)?.playouts !== think.playouts) {
        known.push({ playouts: think.playouts, mean: think.means[i], amaf: think.amafs[i], beta: think.betas[i], value: think.values[i] });
        // A long search keeps every other point of its past.
        if (known.length > 240) this.history.set(move, known.filter((_, at) => at % 2 === 0));
      }
    });
    this.draw();
  }

  draw() {
    const think = this.think;
    if (!think) {
      this.facts.replaceChildren();
      this.note.textContent = "No search yet. Make a move against an agent, or let one analyse the position.";
      this.body.replaceChildren();
      this.graph.replaceChildren();
      this.graphTitle.hidden = true;
      return;
    }
    const fact = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    this.facts.replaceChildren(
      h("div", { class: "whole" }, h("dt", { class: "unseen" }, "agent"), h("dd", {}, h("code", {}, think.agent))),
      fact("playouts", number(think.playouts) + (think.goal && think.status === "searching" ? ` of ${number(think.goal)}` : "")),
      fact("a second", think.rate ? number(think.rate) : "–"),
      fact("time", seconds(think.seconds)),
      fact("win estimate", think.value === undefined || think.value === null ? "–" : `${percent(think.value)} %`));
    this.note.textContent = think.error || (!think.playouts && think.status !== "done"
      ? think.status === "waiting" ? "Waiting for a free thread, or for the rules to be compiled…" : "Compiling: the first search takes a while…"
      : "");
    const moves = think.moves ?? [];
    const top = Math.max(1, ...(think.visits ?? [1]));
    const shown = this.all ? moves.length : Math.min(ROWS, moves.length);
    const rows = [];
    for (let i = 0; i < shown; i += 1) rows.push(this.row(think, i, top));
    this.body.replaceChildren(...rows);
    this.more.hidden = moves.length <= ROWS;
    this.more.textContent = this.all ? "Show fewer" : `Show all ${moves.length} moves`;
    this.plot(this.selected && moves.includes(this.selected) ? this.selected : moves[0]);
  }

  row(think, i, top) {
    const move = think.moves[i], beta = think.betas[i];
    const chosen = move === this.selected;
    const choose = () => { this.selected = chosen ? null : move; this.draw(); };
    return h("tr", { class: chosen ? "chosen" : "", onclick: choose },
      h("th", { scope: "row" }, h("button", { type: "button", class: "cell", "aria-pressed": String(chosen),
        onclick: (event) => { event.stopPropagation(); choose(); } }, move)),
      h("td", { class: "n share" },
        h("i", { style: { width: `${100 * think.visits[i] / top}%`, background: heat(think.visits[i] / top) } }),
        h("span", {}, number(think.visits[i]))),
      h("td", { class: "n" }, plain(think.means[i])),
      h("td", { class: "n", title: `${number(think.amafVisits[i])} playouts contain it` }, plain(think.amafs[i])),
      h("td", { class: "n beta" }, beta === null ? "–" : [h("i", { style: { width: `${100 * Math.min(1, beta)}%` } }), h("span", {}, beta.toFixed(2))]),
      h("td", { class: "n" }, plain(think.values[i])));
  }

  plot(move) {
    const points = this.history.get(move) ?? [];
    this.graphTitle.hidden = !move;
    this.graphTitle.textContent = move ? `${move}, as playouts grow` : "";
    if (!move) { this.graph.replaceChildren(); return; }
    const line = (name) => points.filter((each) => each[name] !== null).map((each) => [each.playouts, each[name]]);
    const values = points.flatMap((each) => [each.mean, each.amaf, each.value, each.beta]).filter((each) => each !== null && each <= 1.5);
    chart(this.graph, {
      series: [
        { label: "mean", points: line("mean"), dots: false, colour: "var(--line-1)", dash: "" },
        { label: "AMAF", points: line("amaf"), dots: false, colour: "var(--line-2)", dash: "7 4" },
        { label: "value", points: line("value").filter(([, y]) => y <= 1.5), dots: false, colour: "var(--line-3)", dash: "2 3" },
        { label: "β", points: line("beta"), dots: false, colour: "var(--line-4)", dash: "9 3 2 3" },
      ],
      height: 170, high: Math.max(1, ...values), xLow: Math.max(1, points[0]?.playouts ?? 1), log: true, xName: "playouts",
      label: `Mean, AMAF, value and beta of ${move} over playouts`,
    });
  }
}

const TITLES = ["", "playouts that began with the move", "mean score of those playouts",
  "mean score of all playouts that contain the move, in the AMAF table that is read at the root",
  "the weight of AMAF", "what the tree policy compares"];
