// The compare view: two agents search the same position side by side.

import { h, titleNodes, toast } from "./dom.js";
import { AgentPicker, BudgetPicker } from "./agent_picker.js";
import { Board } from "./board.js";
import { overlayRows, SearchPanel } from "./search_panel.js";

const SIDES = [{ slot: "left", agent: "rave", label: "Left agent" }, { slot: "right", agent: "grave", label: "Right agent" }];

const EMPTY_TEXT = "No search yet: choose “Search both”.";

export class CompareView {
  // display() returns how searches are drawn: { measure, style, pv }.
  constructor(host, { choices, send, checkAgent, display }) {
    this.send = send;
    this.display = display;
    this.sides = {};
    this.budget = new BudgetPicker({ choices, playouts: 20000 });
    const columns = h("div", { class: "columns" });
    for (const { slot, agent, label } of SIDES) {
      const picker = new AgentPicker({ choices, value: agent, checkAgent, label });
      const frame = h("div", { class: "board-frame" });
      const panel = h("div", { class: "card" });
      columns.append(h("section", { class: "side-by-side", "aria-label": label },
        h("div", { class: "card" }, picker.element), frame, panel));
      this.sides[slot] = { picker, board: new Board(frame), panel: new SearchPanel(panel, { label, emptyText: EMPTY_TEXT }), search: null };
    }
    this.title = h("h1", {}, "Two agents, one position");
    host.replaceChildren(
      h("div", { class: "bar" }, this.title,
        h("div", { class: "actions" },
          h("button", { type: "button", class: "primary", id: "compare-start", onclick: () => this.start() }, "Search both"),
          h("button", { type: "button", id: "compare-stop", onclick: () => this.send("finish_search", {}) }, "Stop"))),
      h("p", { class: "hint" }, "The position is the one on the Play board. Try RAVE against GRAVE, or the same agent with another ref."),
      h("div", { class: "card slim" }, this.budget.element), columns);
  }

  start() {
    for (const [slot, side] of Object.entries(this.sides)) {
      side.panel.reset();
      if (!this.send("analyse", { slot, agent: side.picker.value, ...this.budget.value })) toast("Not connected.");
    }
  }

  showState(state, cellsOfMove, label) {
    const isNewGame = state.game.id !== this.gameId;
    this.gameId = state.game.id;
    this.cellsOfMove = cellsOfMove;
    this.title.replaceChildren(...titleNodes(`Two agents, one position: ${state.game.title}`));
    const lastCells = state.shown_ply ? state.plies[state.shown_ply - 1].cells : [];
    for (const side of Object.values(this.sides)) {
      side.board.show({ svg: state.svg, text: state.text, label, colours: state.game.colours, lastCells });
      if (side.search && (isNewGame || side.search.ply !== state.shown_ply)) {
        side.search = null;
        side.panel.reset();
        side.board.showSearch([]);
      }
    }
  }

  showSearch(search) {
    const side = this.sides[search.slot];
    if (!side) return;
    side.search = search;
    side.panel.show(search);
    this.draw();
  }

  draw() {
    const { measure, style, pv } = this.display();
    for (const { board, search } of Object.values(this.sides)) {
      if (!search) continue;
      const rows = style === "off" ? [] : overlayRows(search, this.cellsOfMove, measure).rows;
      board.showSearch(rows, { style, pv: pv ? search.pv ?? [] : [] });
    }
  }
}
