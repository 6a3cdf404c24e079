// The dialog in which a game begins: which game, who sits where, how long they may think.

import { h } from "./dom.js";
import { AgentPicker, BudgetPicker } from "./agents.js";

export class Setup {
  // begin(fields) starts the game; check is for AgentPicker.
  constructor(dialog, { choices, begin, check }) {
    this.dialog = dialog;
    this.choices = choices;
    this.begin = begin;
    this.check = check;
    this.rules = null;
  }

  open(state, rules = null, name = "") {
    this.rules = rules;
    this.rulesName = name;
    this.state = state;
    this.build(state?.game.fromRules ? "breakthrough" : gameName(state?.game.spec ?? "breakthrough"), state);
    if (!this.dialog.open) this.dialog.showModal();
  }

  build(name, state) {
    const known = this.choices.games.find((each) => each.name === name.replace(/^misere-/, "")) ?? this.choices.games[0];
    this.options = new Map();
    const players = this.rules ? 2 : known.players;
    const game = h("select", { id: "setup-game", onchange: (event) => this.build(event.target.value, this.state) },
      this.choices.games.map((each) => h("option", { value: each.name, selected: each.name === known.name }, each.name)));
    this.misere = h("input", { type: "checkbox", checked: name.startsWith("misere-") });
    const given = state && !state.game.fromRules && gameName(state.game.spec) === name ? optionsOf(state.game.spec) : new Map();
    const fields = known.options.map((option) => {
      const input = h("input", { value: given.get(option.name) ?? "", placeholder: String(option.default || "none"), autocomplete: "off",
        list: option.name === "file" ? "setup-files" : undefined,
        onchange: () => { if (["colors"].includes(option.name)) this.seatsFor(known); } });
      this.options.set(option.name, input);
      return h("label", { class: "field", title: option.about }, h("span", {}, option.name), input, h("small", {}, option.about));
    });
    this.seatHost = h("div", { class: "seat-pickers" });
    this.budget = new BudgetPicker({ choices: this.choices, playouts: state ? state.playouts : 10000, seconds: state?.seconds ?? null });
    this.dialog.replaceChildren(h("form", { method: "dialog", onsubmit: (event) => this.submit(event, known) },
      h("h2", { id: "setup-title" }, "New game"),
      this.rules
        ? h("p", {}, "The game in ", h("strong", {}, this.rulesName || "the file"), ".")
        : [h("label", { class: "field wide", for: "setup-game" }, h("span", {}, "Game"), game, h("small", {}, known.summary)),
          h("div", { class: "fields" }, fields,
            players > 1 ? h("label", { class: "check" }, this.misere, " misère: the results turned round") : null),
          h("datalist", { id: "setup-files" }, this.choices.files.map((each) => h("option", { value: each })))],
      h("h3", {}, "Seats"), this.seatHost, this.budget.element,
      h("p", { class: "hint" }, "A game of your own: drop its GDL file (.kif) on the page, or ",
        h("label", { class: "link" }, "choose it",
          h("input", { type: "file", accept: ".kif,.gdl,.txt", class: "unseen",
            onchange: async (event) => {
              const [file] = event.target.files;
              if (file) this.open(this.state, await file.text(), file.name);
            } })), "."),
      h("div", { class: "actions end" },
        h("button", { type: "button", class: "quiet", onclick: () => this.dialog.close() }, "Cancel"),
        h("button", { type: "submit", class: "primary" }, "Start"))));
    this.seatsFor(known);
  }

  // As many seats as the game has; of a GDL file nobody knows yet, so both kinds are offered.
  seatsFor(known) {
    const colours = Number(this.options.get("colors")?.value || 0);
    const players = this.rules ? 0 : colours || known.players;
    const old = this.pickers ?? [];
    this.pickers = [];
    this.seatHost.replaceChildren();
    const before = this.state?.seats ?? [];
    for (let seat = 0; seat < (players || 2); seat += 1) {
      const value = old[seat]?.value() ?? before[seat] ?? (seat === 0 ? "person" : "grave");
      this.pickers.push(this.seat(seat, value, players === 0));
    }
  }

  seat(number, value, others) {
    const person = value === "person";
    const picker = new AgentPicker({ choices: this.choices, value: person ? "grave" : value, check: this.check, label: "Spec" });
    picker.element.hidden = person;
    const kind = h("select", { "aria-label": `Who has seat ${number + 1}`,
      onchange: () => { picker.element.hidden = kind.value === "person"; } },
      h("option", { value: "person", selected: person }, "a person"),
      h("option", { value: "agent", selected: !person }, "an agent"));
    const title = others && number === 1 ? "All other seats" : `Seat ${number + 1}`;
    this.seatHost.append(h("fieldset", {}, h("legend", {}, title), kind, picker.element));
    return { value: () => (kind.value === "person" ? "person" : picker.value) };
  }

  submit(event, known) {
    event.preventDefault();
    const seats = this.pickers.map((each) => each.value());
    const fields = { ...this.budget.value };
    if (this.rules) {
      fields.game = this.rulesName || "rules";
      fields.rules = this.rules;
      fields.seats = seats;
    } else {
      const options = [...this.options].filter(([, input]) => input.value.trim() !== "")
        .map(([name, input]) => `${name}=${input.value.trim()}`).join(",");
      fields.game = (this.misere.checked ? "misere-" : "") + known.name + (options ? `(${options})` : "");
      fields.seats = seats;
    }
    this.begin(fields);
    this.dialog.close();
  }
}

const gameName = (spec) => spec.replace(/\(.*$/s, "").trim();
const optionsOf = (spec) => new Map((/\((.*)\)/s.exec(spec)?.[1] ?? "").split(",")
  .filter((each) => each.includes("=")).map((each) => each.split("=").map((word) => word.trim())));
