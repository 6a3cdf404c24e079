// The dialog for a new game: the game and its options, the seats, the budget.

import { AgentPicker, BudgetPicker, parseOptions } from "./agent_picker.js";
import { h } from "./dom.js";

const DEFAULT_GAME = "breakthrough", PERSON = "person";
const MISERE = "misere-";

const nameOf = (spec) => spec.replace(/\(.*$/s, "").trim();
const optionsOf = (spec) => parseOptions(/\((.*)\)/s.exec(spec)?.[1] ?? "");

export class NewGameDialog {
  // start(fields) starts the game; checkAgent is passed to AgentPicker.
  constructor(dialog, { choices, start, checkAgent }) {
    this.dialog = dialog;
    this.choices = choices;
    this.start = start;
    this.checkAgent = checkAgent;
    this.rules = null;
  }

  // `state` is the current game; `rules` is GDL text from the file `fileName`.
  open(state, rules = null, fileName = "") {
    this.rules = rules;
    this.fileName = fileName;
    this.state = state;
    this.build(!state || state.game.from_rules ? DEFAULT_GAME : nameOf(state.game.spec));
    if (!this.dialog.open) this.dialog.showModal();
  }

  build(name) {
    const { state, choices } = this;
    const game = choices.games.find((entry) => entry.name === name.replace(/^misere-/, "")) ?? choices.games[0];
    this.game = game;
    this.optionInputs = new Map();
    this.misere = h("input", { type: "checkbox", checked: name.startsWith(MISERE) });
    this.seatHost = h("div", { class: "seat-pickers" });
    this.budget = new BudgetPicker({ choices, playouts: state ? state.playouts : 10000, seconds: state?.seconds ?? null });
    this.dialog.replaceChildren(h("form", { method: "dialog", onsubmit: (event) => this.submit(event) },
      h("h2", { id: "setup-title" }, "New game"),
      this.rules
        ? h("p", {}, "The game in ", h("strong", {}, this.fileName || "the file"), ".")
        : this.gameFields(name),
      h("h3", {}, "Seats"), this.seatHost, this.budget.element,
      h("p", { class: "hint" }, "To play a custom game, drop its GDL file (.kif) on the page, or ", this.fileLink(), "."),
      h("div", { class: "actions end" },
        h("button", { type: "button", class: "quiet", onclick: () => this.dialog.close() }, "Cancel"),
        h("button", { type: "submit", class: "primary" }, "Start"))));
    this.buildSeats();
  }

  gameFields(name) {
    const { state, choices, game } = this;
    const current = state && !state.game.from_rules && nameOf(state.game.spec) === name ? optionsOf(state.game.spec) : new Map();
    const select = h("select", { id: "setup-game", onchange: (event) => this.build(event.target.value) },
      choices.games.map((entry) => h("option", { value: entry.name, selected: entry.name === game.name }, entry.name)));
    return [
      h("label", { class: "field wide", for: "setup-game" }, h("span", {}, "Game"), select, h("small", {}, game.summary)),
      h("div", { class: "fields" }, game.options.map((option) => this.optionField(option, current.get(option.name))),
        game.players > 1 ? h("label", { class: "check" }, this.misere, " misère: scores reversed") : null),
      h("datalist", { id: "setup-files" }, choices.files.map((file) => h("option", { value: file }))),
    ];
  }

  optionField(option, value) {
    const input = h("input", { value: value ?? "", placeholder: String(option.default || "none"), autocomplete: "off",
      list: option.name === "file" ? "setup-files" : undefined,
      onchange: () => { if (option.name === "colors") this.buildSeats(); } });
    this.optionInputs.set(option.name, input);
    return h("label", { class: "field", title: option.about }, h("span", {}, option.name), input, h("small", {}, option.about));
  }

  fileLink() {
    const onchange = async (event) => {
      const [file] = event.target.files;
      if (file) this.open(this.state, await file.text(), file.name);
    };
    return h("label", { class: "link" }, "choose it",
      h("input", { type: "file", accept: ".kif,.gdl,.txt", class: "visually-hidden", onchange }));
  }

  // One picker for each seat. The number of players of a GDL file is not known before the server
  // has read it: the second picker is then for all other seats.
  buildSeats() {
    const colours = Number(this.optionInputs.get("colors")?.value || 0);
    const players = this.rules ? 0 : colours || this.game.players;
    const previous = this.seats ?? [];
    const current = this.state?.seats ?? [];
    this.seats = [];
    this.seatHost.replaceChildren();
    for (let seat = 0; seat < (players || 2); seat += 1) {
      const value = previous[seat]?.value() ?? current[seat] ?? (seat === 0 ? PERSON : this.choices.default_agent);
      const title = players === 0 && seat === 1 ? "All other seats" : `Seat ${seat + 1}`;
      this.seats.push(this.addSeat(seat, value, title));
    }
  }

  addSeat(seat, value, title) {
    const isPerson = value === PERSON;
    const picker = new AgentPicker({ choices: this.choices, value: isPerson ? this.choices.default_agent : value,
      checkAgent: this.checkAgent, label: "Spec" });
    picker.element.hidden = isPerson;
    const kind = h("select", { "aria-label": `Player in seat ${seat + 1}`,
      onchange: () => { picker.element.hidden = kind.value === PERSON; } },
    h("option", { value: PERSON, selected: isPerson }, "a person"),
    h("option", { value: "agent", selected: !isPerson }, "an agent"));
    this.seatHost.append(h("fieldset", {}, h("legend", {}, title), kind, picker.element));
    return { value: () => (kind.value === PERSON ? PERSON : picker.value) };
  }

  submit(event) {
    event.preventDefault();
    const fields = { ...this.budget.value, seats: this.seats.map((seat) => seat.value()) };
    if (this.rules) {
      fields.game = this.fileName || "rules";
      fields.rules = this.rules;
    } else {
      const options = [...this.optionInputs].filter(([, input]) => input.value.trim() !== "")
        .map(([name, input]) => `${name}=${input.value.trim()}`).join(",");
      fields.game = (this.misere.checked ? MISERE : "") + this.game.name + (options ? `(${options})` : "");
    }
    this.start(fields);
    this.dialog.close();
  }
}
