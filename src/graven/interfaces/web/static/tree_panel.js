// The tree panel: the search tree as an indented list, and for the selected node which AMAF table
// each policy reads there.

import { $$, formatDecimal, formatNumber, h } from "./dom.js";
import { amafFigure, POLICIES } from "./amaf_figure.js";
import { heatColour } from "./colours.js";

const FIRST_CHILDREN = 8, MORE_CHILDREN = 100, MAX_CHILDREN = 1000;
const DETAIL_ROWS = 8;
const REFRESH_INTERVAL = 1000; // milliseconds

// The key of a node: the moves from the root, which contain no line breaks.
const keyOf = (path) => path.join("\n");
const pathOf = (key) => (key ? key.split("\n") : []);

export class TreePanel {
  // request(slot, path, ref, maxMoves) asks the server for a node; the answer is passed to `receive`.
  constructor(host, request) {
    this.request = request;
    this.host = host;
    this.slot = "move";
    this.ref = h("input", { type: "number", min: "0", max: "2147483647", value: "", placeholder: "50", id: "tree-ref",
      onchange: () => this.select(this.selected) });
    this.note = h("p", { class: "hint", role: "status" });
    this.tree = h("div", { class: "tree", role: "tree", "aria-label": "Search tree", onkeydown: (event) => this.onKey(event) });
    this.detail = h("div", { class: "node-detail" });
    host.append(
      h("div", { class: "row tree-tools" },
        h("label", { for: "tree-ref", title: "GRAVE reads the table of the closest node with more playouts than this" }, "GRAVE with ref"), this.ref,
        h("button", { type: "button", class: "quiet", onclick: () => this.reload() }, "Refresh")),
      this.note, this.tree, this.detail);
    this.reset();
  }

  reset() {
    this.nodes = new Map(); // by key: the server's message, and maxMoves, how many children to show
    this.open = new Set([""]);
    this.selected = [];
    this.tree.replaceChildren();
    this.detail.replaceChildren();
    this.showNote("The tree appears with the first search.");
  }

  // A search has made progress or ended: reload its tree if the panel is visible.
  update(slot, hasEnded) {
    if (this.slot !== slot) { this.slot = slot; this.reset(); }
    if (this.host.offsetParent === null) return;
    const now = Date.now();
    if (!hasEnded && now - (this.reloadedAt ?? 0) < REFRESH_INTERVAL) return;
    this.reloadedAt = now;
    this.reload();
  }

  reload() {
    this.load([]);
    for (const key of this.open) if (key && this.nodes.has(key)) this.load(pathOf(key));
    if (this.selected.length && !this.open.has(keyOf(this.selected))) this.load(this.selected);
  }

  load(path) {
    const ref = this.ref.value === "" ? null : Math.max(0, Math.round(Number(this.ref.value)));
    this.request(this.slot, path, ref, this.nodes.get(keyOf(path))?.maxMoves ?? FIRST_CHILDREN);
  }

  receive(message) {
    if (message.slot !== this.slot) return;
    const key = keyOf(message.path);
    this.nodes.set(key, { ...message, maxMoves: this.nodes.get(key)?.maxMoves ?? FIRST_CHILDREN });
    this.note.hidden = true;
    if (!this.ref.value) this.ref.placeholder = String(message.ref);
    this.draw();
    if (key === keyOf(this.selected)) this.describe(message);
  }

  showNote(text) {
    this.note.textContent = text;
    this.note.hidden = false;
  }

  draw() {
    const focusedKey = document.activeElement?.dataset?.path;
    const root = this.nodes.get("");
    if (!root) return;
    const box = this.box([], { name: "root", visits: root.path_visits.at(-1), mean: null, expanded: root.num_moves > 0, share: 1 });
    const scrolled = this.tree.scrollTop;
    this.tree.replaceChildren(box, ...this.children([]));
    this.tree.scrollTop = scrolled;
    if (focusedKey !== undefined) this.boxOf(focusedKey)?.focus({ preventScroll: true });
  }

  boxOf(key) { return $$(".node", this.tree).find((box) => box.dataset.path === key); }

  // The rows of a node's children, each followed by those of its own children.
  children(path) {
    const key = keyOf(path), node = this.nodes.get(key);
    if (!this.open.has(key) || !node || !node.moves.length) return [];
    const total = Math.max(1, node.path_visits.at(-1));
    const rows = node.moves.flatMap((move, i) => {
      const child = [...path, move];
      const values = { name: move, visits: node.visits[i], mean: node.means[i], expanded: node.expanded[i], share: node.visits[i] / total };
      return [this.box(child, values), ...this.children(child)];
    });
    const remaining = node.num_moves - node.moves.length;
    if (remaining > 0) {
      const showMore = () => { node.maxMoves = Math.min(MAX_CHILDREN, node.moves.length + MORE_CHILDREN); this.load(path); };
      rows.push(h("div", { class: "more", role: "treeitem", tabindex: "-1", "aria-level": path.length + 2,
        style: { "--depth": String(path.length + 1) }, dataset: { path: key }, onclick: showMore },
      remaining > MORE_CHILDREN ? `Show ${MORE_CHILDREN} of ${formatNumber(remaining)} more` : `Show ${remaining} more`));
    }
    return rows;
  }

  box(path, { name, visits, mean, expanded, share }) {
    const key = keyOf(path), isOpen = this.open.has(key) && this.nodes.has(key);
    const isSelected = key === keyOf(this.selected);
    const hasMean = mean !== null && mean !== undefined;
    const width = Math.min(1, share);
    // The keyboard opens nodes with the arrow keys.
    const toggle = h("span", { class: "toggle", "aria-hidden": "true",
      onclick: (event) => { event.stopPropagation(); this.toggle(path); } }, isOpen ? "▾" : "▸");
    return h("div", { class: `node${isSelected ? " selected" : ""}`, role: "treeitem", style: { "--depth": String(path.length) },
      tabindex: isSelected || (!this.selected.length && !path.length) ? "0" : "-1",
      "aria-level": path.length + 1, "aria-expanded": expanded ? String(isOpen) : undefined, "aria-selected": String(isSelected),
      "aria-label": `${name}, ${formatNumber(visits)} playouts${hasMean ? `, mean ${formatDecimal(mean)}` : ""}`,
      dataset: { path: key }, onclick: () => this.select(path), ondblclick: () => expanded && this.toggle(path) },
    expanded && path.length ? toggle : h("span", { class: "toggle" }),
    h("b", {}, name),
    h("span", { class: "bar-track" }, h("i", { style: { width: `${100 * width}%`, background: heatColour(width) } })),
    h("span", { class: "n" }, formatNumber(visits)), h("span", { class: "n mean" }, hasMean ? formatDecimal(mean) : ""));
  }

  toggle(path) {
    const key = keyOf(path);
    if (!this.open.has(key)) {
      this.open.add(key);
      this.load(path);
      return;
    }
    for (const openKey of [...this.open]) {
      if (openKey && (openKey === key || openKey.startsWith(`${key}\n`))) this.open.delete(openKey);
    }
    this.draw();
  }

  select(path) {
    this.selected = path;
    this.draw();
    this.load(path);
  }

  onKey(event) {
    const boxes = $$("[role=treeitem]", this.tree);
    const index = boxes.indexOf(document.activeElement);
    if (index < 0) return;
    const path = pathOf(boxes[index].dataset.path);
    const expanded = boxes[index].getAttribute("aria-expanded");
    if (event.key === "ArrowDown") boxes[index + 1]?.focus();
    else if (event.key === "ArrowUp") boxes[index - 1]?.focus();
    else if (event.key === "ArrowRight") {
      if (expanded === "false") this.toggle(path);
      else boxes[index + 1]?.focus();
    } else if (event.key === "ArrowLeft") {
      if (expanded === "true" && path.length) this.toggle(path);
      else this.boxOf(keyOf(path.slice(0, -1)))?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      if (boxes[index].classList.contains("more")) boxes[index].click();
      else this.select(path);
    } else return;
    event.preventDefault();
  }

  // Show which AMAF tables are read at a node, and the node's moves.
  describe(node) {
    const names = ["root", ...node.path];
    const owner = (depth) => (depth === names.length - 1 ? "its own" : depth === 0 ? "the root's" : `that of ${names[depth]}`);
    const policyRow = ({ key, name, colour }) => {
      const depth = node.amaf_depth_by_policy[key];
      return h("li", {}, h("span", { class: "dot", style: { background: colour } }),
        h("strong", {}, key === "grave" ? `${name} (ref ${formatNumber(node.ref)})` : name), ` reads ${owner(depth)}`,
        ` (${formatNumber(node.path_visits[depth])} playouts)`);
    };
    this.detail.replaceChildren(
      h("h2", { class: "subtitle" }, `Which AMAF table is read at ${names.at(-1)}?`),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Path to the node" }, amafFigure(names, node)),
      h("ul", { class: "plain-list" }, POLICIES.map(policyRow)),
      h("p", { class: "hint" }, node.amaf_depth === null ? "This search keeps no AMAF tables." : `This search reads ${owner(node.amaf_depth)} here.`),
      node.moves.length ? moveTable(node)
        : h("p", { class: "hint" }, node.is_over ? "The game ends here." : "No move has been tried here yet."));
  }
}

function moveTable(node) {
  const head = ["move", "visits", "mean", "AMAF", "β", "value"].map((name, i) => h("th", { scope: "col", class: i ? "n" : "" }, name));
  const row = (move, i) => h("tr", {}, h("th", { scope: "row" }, move),
    [formatNumber(node.visits[i]), formatDecimal(node.means[i]), formatDecimal(node.amaf_means[i]),
      formatDecimal(node.betas[i], 2), formatDecimal(node.values[i])].map((text) => h("td", { class: "n" }, text)));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Moves of the node" }, h("table", { class: "moves" },
    h("thead", {}, h("tr", {}, head)), h("tbody", {}, node.moves.slice(0, DETAIL_ROWS).map(row))));
}
