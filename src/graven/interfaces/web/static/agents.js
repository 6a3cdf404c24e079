// Choosing an agent: a spec as text, and a form made from what the policies say of themselves.

import { h } from "./dom.js";

const EXAMPLES = ["grave", "rave", "hrave", "uct", "grave(ref=100,bias=1e-6)", "rave(k=250,c=0.2)",
  "uct(c=0.7)+mast", "grave+ppaf", "rave+poolrave"];
let counter = 0;

export class AgentPicker {
  // check(spec, then) asks the server whether a spec is right; then(answer).
  constructor({ choices, value = "grave", check, label = "Agent" }) {
    this.choices = choices;
    this.check = check;
    const id = `agent-${counter += 1}`;
    this.input = h("input", { id, class: "spec", value, spellcheck: "false", autocomplete: "off",
      list: `${id}-examples`, "aria-describedby": `${id}-said`, oninput: () => this.typed() });
    this.said = h("p", { id: `${id}-said`, class: "said", role: "status" });
    this.form = h("div", { class: "agent-form" });
    this.details = h("details", { class: "agent-details", ontoggle: () => this.details.open && this.build() },
      h("summary", {}, "Parameters"), this.form);
    this.element = h("div", { class: "agent-picker" },
      h("label", { for: id }, label), this.input,
      h("datalist", { id: `${id}-examples` }, EXAMPLES.map((each) => h("option", { value: each }))),
      this.said, this.details);
    this.typed();
  }

  get value() { return this.input.value.trim(); }
  set value(spec) { this.input.value = spec; this.typed(); if (this.details.open) this.build(); }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(this.value, (answer) => {
      this.said.textContent = answer.wrong ?? "";
      this.said.classList.toggle("wrong", Boolean(answer.wrong));
      this.input.setAttribute("aria-invalid", String(Boolean(answer.wrong)));
    }), 200);
  }

  // The form says what the text says, and the other way round.
  build() {
    const [tree, playout] = readSpec(this.value);
    const trees = this.choices.policies.filter((each) => each.kind === "tree");
    const playouts = this.choices.policies.filter((each) => each.kind === "playout");
    const own = [...new Set(this.choices.games.flatMap((game) => game.playouts))];
    const options = this.choices.policies.find((each) => each.kind === "option");
    const chosenTree = trees.find((each) => each.name === tree.name) ?? trees[0];
    const chosenPlayout = playouts.find((each) => each.name === playout.name);
    this.fields = { tree: new Map(), playout: new Map() };
    const choose = (name, list, current, changed) => h("label", { class: "field" }, h("span", {}, name),
      h("select", { onchange: (event) => changed(event.target.value) },
        list.map((each) => h("option", { value: each, selected: each === current }, each))));
    const now = (part) => writePart({ name: this.names[part], values: this.fields[part] });
    const replace = (treePart, playoutPart) => {
      this.value = playoutPart === "uniform" ? treePart : `${treePart}+${playoutPart}`;
      this.build();
    };
    const beta = tree.values.get("beta") ?? this.formOf(chosenTree, tree.values);
    const allowed = chosenTree.forms[beta] ?? null;
    const treeFields = chosenTree.parameters.filter((each) => each.name === "beta" || each.name === "ref"
      || !allowed || allowed.includes(each.name));
    this.form.replaceChildren(
      h("div", { class: "fields" },
        choose("Tree policy", trees.map((each) => each.name), chosenTree.name, (name) => replace(name, now("playout")))),
      h("p", { class: "hint" }, chosenTree.summary),
      h("div", { class: "fields" }, treeFields.map((each) => this.field("tree", each, tree.values))),
      h("div", { class: "fields" },
        choose("Playouts", [...playouts.map((each) => each.name), ...own], playout.name,
          (name) => replace(now("tree"), name))),
      chosenPlayout ? h("p", { class: "hint" }, chosenPlayout.summary) : h("p", { class: "hint" }, "The game's own playouts."),
      h("div", { class: "fields" }, (chosenPlayout?.parameters ?? []).map((each) => this.field("playout", each, playout.values))),
      h("details", {}, h("summary", {}, "How to search"),
        h("div", { class: "fields" }, (options?.parameters ?? []).map((each) => this.field("tree", each, tree.values)))));
    this.names = { tree: chosenTree.name, playout: playout.name };
  }

  formOf(policy, values) {
    const names = Object.keys(policy.forms);
    const first = policy.forms[names[0]] ?? [];
    return names.find((name) => policy.forms[name].some((each) => values.has(each) && !first.includes(each))) ?? names[0];
  }

  field(part, parameter, values) {
    const given = values.get(parameter.name);
    const changed = (event) => {
      const value = event.target.value.trim();
      if (value === "" || value === String(parameter.default)) this.fields[part].delete(parameter.name);
      else this.fields[part].set(parameter.name, value);
      if (parameter.name === "beta") {
        for (const name of [...this.fields.tree.keys()]) if (!["beta", "ref"].includes(name)) this.fields.tree.delete(name);
      }
      this.write();
      if (parameter.name === "beta") this.build();
    };
    if (given !== undefined) this.fields[part].set(parameter.name, given);
    const list = parameter.choices.length ? parameter.choices : parameter.kind === "flag" ? ["false", "true"] : null;
    const input = list
      ? h("select", { onchange: changed }, list.map((each) =>
          h("option", { value: each, selected: each === (given ?? String(parameter.default)) }, each)))
      : h("input", { value: given ?? "", placeholder: String(parameter.default), inputmode: "decimal", onchange: changed });
    return h("label", { class: "field", title: parameter.doc }, h("span", {}, parameter.name), input,
      h("small", {}, parameter.doc));
  }

  write() {
    const { tree, playout } = this.names;
    const below = writePart({ name: playout, values: this.fields.playout });
    const above = writePart({ name: tree, values: this.fields.tree });
    this.input.value = below === "uniform" ? above : `${above}+${below}`;
    this.typed();
  }
}

// The parts of a spec, well enough for the form; the server is the one who knows.
export function readSpec(text) {
  let depth = 0, cut = -1;
  [...text].forEach((letter, index) => {
    depth += (letter === "(") - (letter === ")");
    if (letter === "+" && depth === 0 && cut < 0) cut = index;
  });
  const parts = cut < 0 ? [text, "uniform"] : [text.slice(0, cut), text.slice(cut + 1)];
  return parts.map((part) => {
    const match = /^\s*([\w-]+)\s*(?:\((.*)\))?\s*$/s.exec(part) ?? [null, part.trim(), ""];
    const values = new Map((match[2] ?? "").split(",").filter((each) => each.includes("="))
      .map((each) => each.split("=").map((word) => word.trim())));
    return { name: match[1].toLowerCase(), values };
  });
}

function writePart({ name, values }) {
  const inside = [...values].map(([key, value]) => `${key}=${value}`).join(",");
  return inside ? `${name}(${inside})` : name;
}

// A budget: so many playouts, or so many seconds, a move.
export class BudgetPicker {
  constructor({ choices, playouts = 10000, seconds = null }) {
    this.amount = h("input", { type: "number", min: "0", step: "any", value: String(playouts ?? seconds),
      "aria-label": "How much a move may take" });
    this.unit = h("select", { "aria-label": "Playouts or seconds" },
      h("option", { value: "playouts", selected: playouts !== null }, "playouts"),
      h("option", { value: "seconds", selected: playouts === null }, "seconds"));
    this.element = h("div", { class: "budget" }, h("span", { class: "label" }, "Budget a move"),
      h("div", { class: "row" }, this.amount, this.unit),
      h("small", {}, `At most ${choices.limits.playouts.toLocaleString("en-GB")} playouts or ${choices.limits.seconds} s.`));
  }

  get value() {
    const amount = Number(this.amount.value);
    if (!(amount > 0)) return {};
    return this.unit.value === "playouts" ? { playouts: Math.round(amount) } : { seconds: amount };
  }
}
