// The dialog for a new game: the game and its options, the seats, the budget.

import { AgentPicker, BudgetPicker, parseOptions } from "./agent_picker.js";
import { h } from "./dom.js";

const DEFAULT_GAME = "go", PERSON = "person";
const MISERE = "misere-";

const nameOf = (spec) => spec.replace(/\([^()]*\)\s*$/s, "").trim();
const optionsOf = (spec) => parseOptions(/\(([^()]*)\)\s*$/s.exec(spec)?.[1] ?? "");

export class NewGameDialog {
  // start(fields, title) asks for the game; checkAgent is passed to AgentPicker.
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
    this.seats = null;
    this.build(!state || state.game.from_rules ? DEFAULT_GAME : nameOf(state.game.spec));
    if (!this.dialog.open) this.dialog.showModal();
  }

  close() { if (this.dialog.open) this.dialog.close(); }

  build(name) {
    const { state, choices } = this;
    const game = choices.games.find((entry) => entry.name === name.replace(/^misere-/, "")) ?? choices.games[0];
    this.game = game;
    this.optionInputs = new Map(); // by option: { input, message }
    this.misere = h("input", { type: "checkbox", checked: name.startsWith(MISERE) });
    this.seatHost = h("div", { class: "seat-pickers" });
    this.budget = new BudgetPicker({ choices, playouts: state ? state.playouts : 10000, seconds: state?.seconds ?? null });
    this.seed = h("input", { inputmode: "numeric", pattern: "\\d{0,18}", autocomplete: "off", placeholder: "a new one" });
    this.message = h("p", { class: "message invalid", role: "alert" });
    this.submitButton = h("button", { type: "submit", class: "primary" }, "Start");
    this.dialog.replaceChildren(h("form", { method: "dialog", novalidate: true, onsubmit: (event) => this.submit(event) },
      h("h2", { id: "setup-title" }, "New game"),
      this.rules
        ? h("p", {}, "The game in ", h("strong", {}, this.fileName || "the file"), ".")
        : this.gameFields(name),
      this.message,
      h("h3", {}, "Seats"), this.seatHost,
      h("div", { class: "fields two" }, this.budget.element,
        h("label", { class: "field" }, h("span", {}, "Seed"), this.seed, h("small", {}, "repeats the agents' moves of an earlier game"))),
      h("p", { class: "hint" }, "To play a custom game, drop its GDL file (.kif) on the page, or ", this.fileLink(), "."),
      h("div", { class: "actions end dialog-foot" },
        h("button", { type: "button", class: "quiet", onclick: () => this.dialog.close() }, "Cancel"), this.submitButton)));
    this.buildSeats();
  }

  // Each game has its own default agent; a spec that the user has typed is kept.
  changeGame(name) {
    const game = this.choices.games.find((entry) => entry.name === name);
    const values = this.seats.map((seat) => (seat.value() === PERSON || seat.isEdited() ? seat.value() : game.default_agent));
    this.seats = values.map((value) => ({ value: () => value }));
    this.build(name);
  }

  gameFields(name) {
    const { state, choices, game } = this;
    const current = state && !state.game.from_rules && nameOf(state.game.spec) === name ? optionsOf(state.game.spec) : new Map();
    const select = h("select", { id: "setup-game", onchange: (event) => this.changeGame(event.target.value) },
      choices.games.map((entry) => h("option", { value: entry.name, selected: entry.name === game.name }, entry.title)));
    return [
      h("label", { class: "field wide", for: "setup-game" }, h("span", {}, "Game"), select, h("small", {}, game.summary)),
      h("div", { class: "fields" }, game.options.map((option) => this.optionField(option, current.get(option.name))),
        game.players > 1 ? h("label", { class: "check" }, this.misere, " misère: scores reversed") : null),
      h("datalist", { id: "setup-files" }, choices.files.map((file) => h("option", { value: file }))),
    ];
  }

  // A list for an option with choices, else a text field.
  optionField(option, value) {
    const { name, choices } = option;
    const about = h("small", {}, choices.length ? "" : option.about);
    const describe = () => { about.textContent = choices.find((choice) => choice.value === input.value)?.about ?? ""; };
    const input = choices.length
      ? h("select", { onchange: () => { describe(); this.buildSeats(); } }, choices.map((choice) =>
        h("option", { value: choice.value, selected: choice.value === (value ?? option.default) }, choice.label)))
      : h("input", { value: value ?? "", placeholder: String(option.default || "none"), autocomplete: "off",
        list: name === "file" ? "setup-files" : undefined,
        onchange: () => { if (name === "colors") this.buildSeats(); } });
    if (choices.length) describe();
    const message = h("p", { class: "message invalid", role: "alert" });
    this.optionInputs.set(name, { input, message });
    return h("label", { class: choices.length ? "field wide" : "field" }, h("span", {}, name), input, message, about);
  }

  fileLink() {
    const onchange = async (event) => {
      const [file] = event.target.files;
      if (file) this.open(this.state, await file.text(), file.name);
    };
    return h("label", { class: "link" }, "choose it",
      h("input", { type: "file", accept: ".kif,.gdl,.txt", class: "visually-hidden", onchange }));
  }

  players() {
    if (this.rules) return 0;
    const colours = Number(this.optionInputs.get("colors")?.input.value || 0);
    const sheet = this.game.options.find((option) => option.name === "sheet");
    const chosen = sheet?.choices.find((choice) => choice.value === this.optionInputs.get("sheet").input.value);
    return chosen?.players ?? (colours || this.game.players);
  }

  // One picker for each seat. The number of players of a GDL file is not known before the server
  // has read it: the second picker is then for all other seats.
  buildSeats() {
    const players = this.players();
    const previous = this.seats ?? [];
    const current = this.state?.seats ?? [];
    this.seats = [];
    this.seatHost.replaceChildren();
    for (let seat = 0; seat < (players || 2); seat += 1) {
      const value = previous[seat]?.value() ?? current[seat] ?? (seat === 0 ? PERSON : this.game.default_agent);
      const title = players === 0 && seat === 1 ? "All other seats" : `Seat ${seat + 1}`;
      this.seats.push(this.addSeat(seat, value, title));
    }
  }

  addSeat(seat, value, title) {
    const isPerson = value === PERSON;
    const picker = new AgentPicker({ choices: this.choices, value: isPerson ? this.game.default_agent : value,
      checkAgent: this.checkAgent, label: "Spec" });
    picker.element.hidden = isPerson;
    const kind = h("select", { "aria-label": `Player in seat ${seat + 1}`,
      onchange: () => { picker.element.hidden = kind.value === PERSON; } },
    h("option", { value: PERSON, selected: isPerson }, "a person"),
    h("option", { value: "agent", selected: !isPerson }, "an agent"));
    this.seatHost.append(h("fieldset", {}, h("legend", {}, title), kind, picker.element));
    return { value: () => (kind.value === PERSON ? PERSON : picker.value), isEdited: () => picker.isEdited,
      check: () => (kind.value === PERSON ? true : picker.check()) };
  }

  // The dialog stays open until the server has accepted the game.
  async submit(event) {
    event.preventDefault();
    this.showError("");
    const checks = await Promise.all(this.seats.map((seat) => seat.check()));
    if (!this.budget.check() || !checks.every(Boolean)) return;
    const fields = { ...this.budget.value, seats: this.seats.map((seat) => seat.value()) };
    if (/^\d+$/.test(this.seed.value.trim())) fields.seed = Number(this.seed.value);
    let title = this.fileName || "the game";
    if (this.rules) {
      fields.game = this.fileName || "rules";
      fields.rules = this.rules;
    } else {
      const options = [...this.optionInputs].filter(([, { input }]) => input.value.trim() !== "")
        .map(([name, { input }]) => `${name}=${input.value.trim()}`).join(",");
      fields.game = (this.misere.checked ? MISERE : "") + this.game.name + (options ? `(${options})` : "");
      title = this.optionInputs.get("sheet")?.input.selectedOptions[0].textContent ?? this.game.title;
    }
    this.submitButton.disabled = true;
    this.submitButton.textContent = "Setting up…";
    this.start(fields, title);
  }

  // Show an error of the server beside the field that it names; returns whether the dialog is open.
  showError(text) {
    if (!this.dialog.open) return false;
    this.submitButton.disabled = false;
    this.submitButton.textContent = "Start";
    const named = [...this.optionInputs].find(([name]) => new RegExp(`\\b${name}\\b`).test(text))?.[1];
    this.message.textContent = named ? "" : text;
    for (const { input, message } of this.optionInputs.values()) {
      message.textContent = message === named?.message ? text : "";
      input.setAttribute("aria-invalid", String(Boolean(text) && message === named?.message));
    }
    if (text) named?.input.focus();
    return true;
  }
}
