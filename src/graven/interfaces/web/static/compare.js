// Two agents side by side on the same position.

import { h, toast } from "./dom.js";
import { AgentPicker, BudgetPicker } from "./agents.js";
import { Board } from "./board.js";
import { SearchPanel, beliefs } from "./search.js";

export class Compare {
  constructor(host, { choices, say, check, look }) {
    this.say = say;
    this.look = look; // how beliefs are shown: { measure, style, line }
    this.sides = {};
    this.budget = new BudgetPicker({ choices, playouts: 20000 });
    const columns = h("div", { class: "columns" });
    for (const [lens, value] of [["a", "rave"], ["b", "grave"]]) {
      const picker = new AgentPicker({ choices, value, check, label: lens === "a" ? "Left agent" : "Right agent" });
      const frame = h("div", { class: "board-frame" });
      const panel = h("div", { class: "card" });
      columns.append(h("article", { class: "side-by-side", "aria-label": lens === "a" ? "Left agent" : "Right agent" },
        h("div", { class: "card" }, picker.element), frame, panel));
      this.sides[lens] = { picker, board: new Board(frame), panel: new SearchPanel(panel), think: null };
    }
    host.replaceChildren(
      h("div", { class: "bar" }, h("h1", {}, "Two agents, one position"),
        h("div", { class: "actions" },
          h("button", { type: "button", class: "primary", id: "compare-start", onclick: () => this.start() }, "Search both"),
          h("button", { type: "button", id: "compare-stop", onclick: () => this.say("stop", {}) }, "Stop"))),
      h("p", { class: "hint" }, "The position is the one on the Play board. Try RAVE against GRAVE, or the same agent with another ref."),
      h("div", { class: "card slim" }, this.budget.element), columns);
  }

  start() {
    for (const [lens, side] of Object.entries(this.sides)) {
      side.panel.reset();
      if (!this.say("watch", { lens, agent: side.picker.value, ...this.budget.value })) toast("Not connected.");
    }
  }

  state(state, cellsOf, label) {
    this.cellsOf = cellsOf;
    const last = state.at ? state.plies[state.at - 1].cells : [];
    for (const side of Object.values(this.sides)) {
      side.board.show({ svg: state.svg, text: state.text, label, players: state.game.players, last });
      if (side.think && side.think.ply !== state.at) { side.think = null; side.panel.reset(); side.board.believe([]); }
    }
  }

  think(think) {
    const side = this.sides[think.lens];
    if (!side) return;
    side.think = think;
    side.panel.show(think);
    this.paint();
  }

  paint() {
    for (const side of Object.values(this.sides)) {
      if (!side.think) continue;
      const { measure, style, line } = this.look();
      side.board.believe(style === "off" ? [] : beliefs(side.think, this.cellsOf, measure), { style, line: line ? side.think.line ?? [] : [] });
    }
  }
}
