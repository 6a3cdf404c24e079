// Choosing an agent by its spec, or by a form made from the catalogue of policies; and a budget.

import { formatNumber, h } from "./dom.js";

const EXAMPLES = ["grave", "rave", "hrave", "uct", "grave(ref=100,bias=1e-6)", "rave(k=250,c=0.2)",
  "uct(c=0.7)+mast", "grave+ppaf", "rave+poolrave"];
const CHECK_DELAY = 200; // milliseconds after the last key
const DEFAULT_PLAYOUT = "uniform";
let pickerCount = 0;

export class AgentPicker {
  // checkAgent(spec, callback) lets the server validate a spec; the callback gets its answer.
  constructor({ choices, value = choices.default_agent, checkAgent, label = "Agent" }) {
    this.choices = choices;
    this.checkAgent = checkAgent;
    this.isEdited = false; // by the user
    const id = `agent-${pickerCount += 1}`;
    this.input = h("input", { id, class: "spec", value, spellcheck: "false", autocomplete: "off",
      list: `${id}-examples`, "aria-describedby": `${id}-message`, oninput: () => { this.isEdited = true; this.checkLater(); } });
    this.message = h("p", { id: `${id}-message`, class: "message", role: "status" });
    this.form = h("div", { class: "agent-form" });
    this.details = h("details", { class: "agent-details", ontoggle: () => this.details.open && this.build() },
      h("summary", {}, "Parameters"), this.form);
    this.element = h("div", { class: "agent-picker" },
      h("label", { for: id }, label), this.input,
      h("datalist", { id: `${id}-examples` }, EXAMPLES.map((spec) => h("option", { value: spec }))),
      this.message, this.details);
    this.checkLater();
  }

  get value() { return this.input.value.trim(); }
  set value(spec) { this.input.value = spec; this.checkLater(); if (this.details.open) this.build(); }

  checkLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), CHECK_DELAY);
  }

  // Let the server validate the spec, show its error beside the field, and resolve to whether it is
  // valid.
  check() {
    clearTimeout(this.timer);
    return new Promise((resolve) => {
      this.checkAgent(this.value, ({ error }) => {
        this.message.textContent = error ?? "";
        this.message.classList.toggle("invalid", Boolean(error));
        this.input.setAttribute("aria-invalid", String(Boolean(error)));
        resolve(!error);
      });
    });
  }

  // Build the form from the text of the spec.
  build() {
    const [tree, playout] = parseSpec(this.value);
    const ofKind = (kind) => this.choices.policies.filter((policy) => policy.kind === kind);
    const treePolicies = ofKind("tree"), playoutPolicies = ofKind("playout"), [searchOptions] = ofKind("option");
    const gamePlayouts = [...new Set(this.choices.games.flatMap((game) => game.playouts))];
    const treePolicy = treePolicies.find((policy) => policy.name === tree.name) ?? treePolicies[0];
    const playoutPolicy = playoutPolicies.find((policy) => policy.name === playout.name);
    this.values = { tree: new Map(), playout: new Map() }; // by part: the values that are not defaults
    const formula = tree.values.get("beta") ?? formulaOf(treePolicy, tree.values);
    const formulaParameters = treePolicy.forms[formula] ?? null;
    const treeParameters = treePolicy.parameters.filter(({ name }) => name === "beta" || name === "ref"
      || !formulaParameters || formulaParameters.includes(name));
    const fields = (part, parameters, values) =>
      h("div", { class: "fields" }, parameters.map((parameter) => this.field(part, parameter, values)));
    this.form.replaceChildren(
      h("div", { class: "fields" },
        choiceField("Tree policy", treePolicies.map((policy) => policy.name), treePolicy.name,
          (name) => this.replace(name, this.partText("playout")))),
      h("p", { class: "hint" }, treePolicy.summary),
      fields("tree", treeParameters, tree.values),
      h("div", { class: "fields" },
        choiceField("Playouts", [...playoutPolicies.map((policy) => policy.name), ...gamePlayouts], playout.name,
          (name) => this.replace(this.partText("tree"), name))),
      h("p", { class: "hint" }, playoutPolicy ? playoutPolicy.summary : "A playout policy of the game."),
      fields("playout", playoutPolicy?.parameters ?? [], playout.values),
      h("details", {}, h("summary", {}, "Search options"), fields("tree", searchOptions?.parameters ?? [], tree.values)));
    this.names = { tree: treePolicy.name, playout: playout.name };
  }

  field(part, parameter, values) {
    const { name, doc } = parameter;
    const current = values.get(name), defaultText = String(parameter.default);
    const onchange = (event) => this.change(part, parameter, event.target.value.trim());
    if (current !== undefined) this.values[part].set(name, current);
    const options = parameter.choices.length ? parameter.choices : parameter.kind === "flag" ? ["false", "true"] : null;
    const input = options
      ? h("select", { onchange }, options.map((option) =>
        h("option", { value: option, selected: option === (current ?? defaultText) }, option)))
      : h("input", { value: current ?? "", placeholder: defaultText, inputmode: "decimal", onchange });
    return h("label", { class: "field", title: doc }, h("span", {}, name), input, h("small", {}, doc));
  }

  // Set a parameter and write the spec. Another formula (beta) has other parameters.
  change(part, { name, ...parameter }, value) {
    const values = this.values[part];
    if (value === "" || value === String(parameter.default)) values.delete(name);
    else values.set(name, value);
    if (name === "beta") {
      const tree = this.values.tree;
      for (const key of [...tree.keys()]) if (key !== "beta" && key !== "ref") tree.delete(key);
    }
    this.input.value = joinSpec(this.partText("tree"), this.partText("playout"));
    this.isEdited = true;
    this.checkLater();
    if (name === "beta") this.build();
  }

  partText(part) { return formatPart({ name: this.names[part], values: this.values[part] }); }

  replace(treeText, playoutText) {
    this.isEdited = true;
    this.value = joinSpec(treeText, playoutText);
    this.build();
  }
}

// The formula whose parameters the values name; the first formula by default.
function formulaOf(policy, values) {
  const names = Object.keys(policy.forms);
  const first = policy.forms[names[0]] ?? [];
  return names.find((name) => policy.forms[name].some((key) => values.has(key) && !first.includes(key))) ?? names[0];
}

const joinSpec = (tree, playout) => (playout === DEFAULT_PLAYOUT ? tree : `${tree}+${playout}`);

function choiceField(label, names, current, onChoice) {
  return h("label", { class: "field" }, h("span", {}, label),
    h("select", { onchange: (event) => onChoice(event.target.value) },
      names.map((name) => h("option", { value: name, selected: name === current }, name))));
}

// Split a spec into its tree and playout parts, for the form only: the server validates the spec.
export function parseSpec(text) {
  let depth = 0, plus = -1;
  [...text].forEach((character, index) => {
    depth += (character === "(") - (character === ")");
    if (character === "+" && depth === 0 && plus < 0) plus = index;
  });
  const parts = plus < 0 ? [text, DEFAULT_PLAYOUT] : [text.slice(0, plus), text.slice(plus + 1)];
  return parts.map((part) => {
    const [, name, options] = /^\s*([\w-]+)\s*(?:\((.*)\))?\s*$/s.exec(part) ?? [null, part.trim(), ""];
    return { name: name.toLowerCase(), values: parseOptions(options ?? "") };
  });
}

// Options such as "size=9,komi=0.5" as a map.
export function parseOptions(text) {
  return new Map(text.split(",").filter((option) => option.includes("="))
    .map((option) => option.split("=").map((word) => word.trim())));
}

function formatPart({ name, values }) {
  const options = [...values].map(([key, value]) => `${key}=${value}`).join(",");
  return options ? `${name}(${options})` : name;
}

// A budget of a move, in playouts or seconds.
export class BudgetPicker {
  constructor({ choices, playouts = 10000, seconds = null }) {
    this.amount = h("input", { type: "number", min: "0", step: "any", value: String(playouts ?? seconds),
      "aria-label": "Budget of a move" });
    this.unit = h("select", { "aria-label": "Playouts or seconds" },
      h("option", { value: "playouts", selected: playouts !== null }, "playouts"),
      h("option", { value: "seconds", selected: playouts === null }, "seconds"));
    this.limits = choices.limits;
    this.message = h("p", { class: "message invalid", role: "status" });
    this.element = h("div", { class: "budget" }, h("span", { class: "label" }, "Budget a move"),
      h("div", { class: "row" }, this.amount, this.unit), this.message,
      h("small", {}, `At most ${formatNumber(choices.limits.playouts)} playouts or ${choices.limits.seconds} s.`));
  }

  // Show what is wrong with the amount; returns whether it is valid.
  check() {
    const amount = Number(this.amount.value), unit = this.unit.value, most = this.limits[unit];
    const isValid = amount > 0 && amount <= most && (unit === "seconds" || Number.isInteger(amount));
    this.message.textContent = isValid ? "" : `Enter ${unit === "seconds" ? "a" : "a whole"} number above 0, at most ${formatNumber(most)}.`;
    this.amount.setAttribute("aria-invalid", String(!isValid));
    return isValid;
  }

  get value() {
    const amount = Number(this.amount.value);
    if (!(amount > 0)) return {};
    return this.unit.value === "playouts" ? { playouts: Math.round(amount) } : { seconds: amount };
  }
}
