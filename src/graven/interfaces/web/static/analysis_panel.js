// The search tab of the play view: how a search is drawn, its pv, its table, and analyses.

import { AgentPicker, BudgetPicker } from "./agent_picker.js";
import { playerStyle } from "./colours.js";
import { h } from "./dom.js";
import { SearchPanel } from "./search_panel.js";

const MEASURES = { visits: "visits", mean: "mean", amaf: "AMAF" };
const STYLES = { heat: "heat map", arrows: "arrows", off: "nothing" };
const EMPTY_TEXT = "No search yet. Make a move against an agent, or analyse the position.";
const DEFAULT_PLAYOUTS = 50000;

export class AnalysisPanel {
  // onDisplayChange() is called when searches are to be drawn in another way.
  constructor(host, { onDisplayChange }) {
    this.onDisplayChange = onDisplayChange;
    this.display = { measure: "visits", style: "heat", pv: true };
    this.pvText = h("p", { class: "pv" });
    this.analyse = h("details", { class: "card" }, h("summary", {}, "Analyse this position"));
    const searchCard = h("section", { class: "card" });
    const pvBox = h("input", { type: "checkbox", checked: true, onchange: () => this.change("pv", pvBox.checked) });
    host.append(
      h("section", { class: "card" },
        h("div", { class: "row display-options" }, this.choice("Show", MEASURES, "measure"), this.choice("as", STYLES, "style"),
          h("label", { class: "check", title: "Number the moves of the principal variation on the board" }, pvBox, " PV")),
        this.pvText),
      searchCard, this.analyse);
    this.searchPanel = new SearchPanel(searchCard, { emptyText: EMPTY_TEXT });
  }

  choice(label, options, key) {
    return h("label", { class: "inline" }, h("span", {}, label),
      h("select", { "aria-label": `${label}: ${key}`, onchange: (event) => this.change(key, event.target.value) },
        Object.entries(options).map(([value, text]) => h("option", { value }, text))));
  }

  change(key, value) {
    this.display[key] = value;
    this.onDisplayChange();
  }

  // Add the form that starts an analysis, once the catalogue has been loaded.
  addForm({ choices, send, checkAgent }) {
    const picker = new AgentPicker({ choices, checkAgent, label: "With" });
    const budget = new BudgetPicker({ choices, playouts: DEFAULT_PLAYOUTS });
    const start = () => send("analyse", { slot: "analysis", agent: picker.value, ...budget.value });
    this.analyse.append(picker.element, budget.element, h("div", { class: "actions" },
      h("button", { type: "button", class: "primary", id: "analyse", onclick: start }, "Analyse"),
      h("button", { type: "button", onclick: () => send("finish_search", {}) }, "Stop")));
  }

  reset() { this.searchPanel.reset(); }

  showSearch(search) { this.searchPanel.show(search); }

  showPv(pv, colours) {
    if (!pv) { this.pvText.replaceChildren(); return; }
    this.pvText.replaceChildren(h("span", { class: "label" }, "Principal variation "),
      ...pv.map(([player, move], i) => h("span", { class: "ply", style: playerStyle(colours, player) }, `${i + 1}. ${move}`)));
  }
}
