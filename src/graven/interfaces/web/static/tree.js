// The tree of a search: the root at the left, the most visited children, as deep as one likes; and
// whose AMAF table each policy reads at a node (Sironi and Winands 2016, figure 1).

import { $, $$, h, number, plain, s } from "./dom.js";
import { heat } from "./colours.js";

const FIRST = 6, STEP = 20;
const POLICIES = [["rave", "RAVE", "var(--line-2)", "7 4"], ["grave", "GRAVE", "var(--line-1)", ""], ["hrave", "HRAVE", "var(--line-3)", "2 3"]];

export class TreePanel {
  // ask(lens, path, ref, most): the answer comes to `answer`.
  constructor(host, ask) {
    this.ask = ask;
    this.host = host;
    this.lens = "move";
    this.ref = h("input", { type: "number", min: "0", max: "2147483647", value: "", placeholder: "50", id: "tree-ref",
      onchange: () => this.select(this.selected) });
    this.note = h("p", { class: "hint" }, "The tree appears with the first search.");
    this.scroll = h("div", { class: "tree", role: "tree", "aria-label": "Search tree", onkeydown: (event) => this.key(event) });
    this.detail = h("div", { class: "node-detail" });
    host.append(
      h("div", { class: "row tree-tools" },
        h("label", { for: "tree-ref", title: "GRAVE reads the table of the closest node with more playouts than this" }, "GRAVE with ref"), this.ref,
        h("button", { type: "button", class: "quiet", onclick: () => this.reload() }, "Refresh")),
      this.note, this.scroll, this.detail);
    this.reset();
  }

  reset() {
    this.nodes = new Map(); // by path: what the server said, how many children are wanted
    this.open = new Set([""]);
    this.selected = [];
    this.scroll.replaceChildren();
    this.detail.replaceChildren();
    this.note.hidden = false;
  }

  // A search went on, or ended: show its tree if anybody looks.
  update(lens, final) {
    if (this.lens !== lens) { this.lens = lens; this.reset(); }
    if (!this.visible()) return;
    const now = Date.now();
    if (!final && now - (this.asked ?? 0) < 1000) return;
    this.asked = now;
    this.reload();
  }

  visible() { return this.host.offsetParent !== null; }

  reload() {
    this.fetch([]);
    for (const key of this.open) if (key && this.nodes.has(key)) this.fetch(key.split("\n"));
    if (this.selected.length && !this.open.has(keyOf(this.selected))) this.fetch(this.selected);
  }

  fetch(path) {
    const known = this.nodes.get(keyOf(path));
    this.ask(this.lens, path, this.ref.value === "" ? null : Math.max(0, Math.round(Number(this.ref.value))), known?.wanted ?? FIRST);
  }

  answer(said) {
    if (said.lens !== this.lens) return;
    const key = keyOf(said.path);
    const known = this.nodes.get(key);
    this.nodes.set(key, { ...said, wanted: known?.wanted ?? FIRST });
    this.note.hidden = true;
    if (!this.ref.value) this.ref.placeholder = String(said.ref);
    this.draw();
    if (key === keyOf(this.selected)) this.describe(said);
  }

  draw() {
    const focused = document.activeElement?.dataset?.path;
    const root = this.nodes.get("");
    if (!root) return;
    this.scroll.replaceChildren(h("div", { class: "branch" },
      this.box([], "root", root.wayVisits.at(-1), null, root.total > 0, 1, 1), this.children([], 2)));
    if (focused !== undefined) $$("[data-path]", this.scroll).find((each) => each.dataset.path === focused)?.focus({ preventScroll: true });
  }

  children(path, level) {
    const key = keyOf(path), node = this.nodes.get(key);
    if (!this.open.has(key) || !node || !node.moves.length) return null;
    const top = Math.max(1, node.wayVisits.at(-1));
    const rows = node.moves.map((move, i) => h("div", { class: "branch" },
      this.box([...path, move], move, node.visits[i], node.means[i], node.inner[i], node.visits[i] / top, level),
      this.children([...path, move], level + 1)));
    const left = node.total - node.moves.length;
    if (left > 0) rows.push(h("button", { type: "button", class: "quiet more", onclick: () => { node.wanted = Math.min(1000, node.moves.length + STEP); this.fetch(path); } },
      `${Math.min(STEP, left)} more of ${number(left)}`));
    return h("div", { class: "children", role: "group" }, rows);
  }

  box(path, name, visits, mean, inner, share, level) {
    const key = keyOf(path), open = this.open.has(key) && this.nodes.has(key);
    const chosen = key === keyOf(this.selected);
    return h("div", { class: `node${chosen ? " chosen" : ""}`, role: "treeitem", tabindex: chosen || (!this.selected.length && !path.length) ? "0" : "-1",
      "aria-level": level, "aria-expanded": inner ? String(open) : undefined, "aria-selected": String(chosen),
      dataset: { path: key }, "aria-label": `${name}, ${number(visits)} playouts${mean === null ? "" : `, mean ${plain(mean)}`}`,
      onclick: () => this.select(path), ondblclick: () => inner && this.toggle(path) },
      h("b", {}, name), h("span", { class: "n" }, number(visits)), h("span", { class: "n mean" }, mean === null || mean === undefined ? "" : plain(mean)),
      inner && path.length ? h("button", { type: "button", class: "twist", tabindex: "-1", "aria-label": open ? "Close" : "Open",
        onclick: (event) => { event.stopPropagation(); this.toggle(path); } }, open ? "−" : "+") : null,
      h("i", { style: { width: `${100 * Math.min(1, share)}%`, background: heat(Math.min(1, share)) } }));
  }

  toggle(path) {
    const key = keyOf(path);
    if (this.open.has(key)) {
      for (const each of [...this.open]) if (each && (each === key || each.startsWith(`${key}\n`))) this.open.delete(each);
      this.draw();
    } else {
      this.open.add(key);
      this.fetch(path);
    }
  }

  select(path) {
    this.selected = path;
    this.draw();
    this.fetch(path);
  }

  key(event) {
    const boxes = $$("[role=treeitem]", this.scroll);
    const at = boxes.indexOf(document.activeElement);
    if (at < 0) return;
    const path = boxes[at].dataset.path ? boxes[at].dataset.path.split("\n") : [];
    const go = (index) => { boxes[index]?.focus(); };
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "ArrowRight") {
      if (boxes[at].getAttribute("aria-expanded") === "false") this.toggle(path); else go(at + 1);
    } else if (event.key === "ArrowLeft") {
      if (boxes[at].getAttribute("aria-expanded") === "true" && path.length) this.toggle(path);
      else $$("[role=treeitem]", this.scroll).find((each) => each.dataset.path === keyOf(path.slice(0, -1)))?.focus();
    } else if (event.key === "Enter" || event.key === " ") this.select(path);
    else return;
    event.preventDefault();
  }

  // The way to the node, and whose table is read there.
  describe(said) {
    const names = ["root", ...said.path];
    const reads = (place) => (place === names.length - 1 ? "its own" : place === 0 ? "the root's" : `that of ${names[place]}`);
    this.detail.replaceChildren(
      h("h3", {}, `At ${names.at(-1)}: whose AMAF table is read?`),
      h("div", { class: "scroll" }, figure(names, said)),
      h("ul", { class: "reads" }, POLICIES.map(([key, name, colour]) => h("li", {},
        h("span", { class: "dot", style: { background: colour } }),
        h("strong", {}, key === "grave" ? `${name} (ref ${number(said.ref)})` : name), ` reads ${reads(said.readers[key])}`,
        ` (${number(said.wayVisits[said.readers[key]])} playouts)`))),
      said.readAt === null ? h("p", { class: "hint" }, "This search keeps no AMAF tables.")
        : h("p", { class: "hint" }, `This search reads ${reads(said.readAt)} here.`),
      said.moves.length ? h("div", { class: "scroll" }, h("table", { class: "moves" },
        h("thead", {}, h("tr", {}, ["move", "visits", "mean", "AMAF", "β", "value"].map((name, i) => h("th", { scope: "col", class: i ? "n" : "" }, name)))),
        h("tbody", {}, said.moves.slice(0, 8).map((move, i) => h("tr", {}, h("th", { scope: "row" }, move),
          h("td", { class: "n" }, number(said.visits[i])), h("td", { class: "n" }, plain(said.means[i])),
          h("td", { class: "n" }, plain(said.amafs[i])), h("td", { class: "n" }, said.betas[i] === null ? "–" : said.betas[i].toFixed(2)),
          h("td", { class: "n" }, plain(said.values[i])))))))
        : h("p", { class: "hint" }, said.over ? "The game ends here." : "Its moves have not been tried yet."));
  }
}

const keyOf = (path) => path.join("\n");

// Nodes in a row from the root, arcs from the last to the ones whose tables are read.
function figure(names, said) {
  const gap = 92, width = Math.max(300, 60 + gap * (names.length - 1) + 60), last = names.length - 1, y = 118;
  const x = (place) => 44 + gap * place;
  const root = s("svg", { viewBox: `0 0 ${width} 172`, width, height: 172, class: "way", role: "img",
    "aria-label": `The way from the root to ${names.at(-1)}` });
  for (let place = 0; place < last; place += 1) root.append(s("line", { x1: x(place), x2: x(place + 1), y1: y, y2: y, class: "edge" }));
  POLICIES.forEach(([key, name, colour, dash], index) => {
    const place = said.readers[key], lift = 22 + 24 * index;
    const from = x(last), to = x(place);
    const high = place === last ? 30 + lift : lift + Math.min(34, 8 * (last - place));
    const path = place === last
      ? `M${from - 8 + 6 * index} ${y - 18}C${from - 30} ${y - high - 14},${from + 30} ${y - high - 14},${from + 8} ${y - 18}`
      : `M${from} ${y - 18}C${from} ${y - high - 26},${to} ${y - high - 26},${to + 4 * index - 4} ${y - 20}`;
    root.append(s("path", { d: path, fill: "none", stroke: colour, "stroke-width": 2.4, "stroke-dasharray": dash }));
    root.append(s("text", { x: place === last ? from + 16 : (from + to) / 2, y: Math.max(11, y - high - (place === last ? 2 : 20) + 8), fill: colour, "text-anchor": place === last ? "start" : "middle", class: "policy" }, name));
  });
  names.forEach((name, place) => {
    root.append(s("circle", { cx: x(place), cy: y, r: 16, class: place === last ? "here" : "" }));
    root.append(s("text", { x: x(place), y: y + 4, "text-anchor": "middle", class: "inside" }, short(said.wayVisits[place])));
    root.append(s("text", { x: x(place), y: y + 36, "text-anchor": "middle", class: "name" }, name));
  });
  return root;
}

const short = (n) => (n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e4 ? `${Math.round(n / 1e3)}k` : n >= 1e3 ? `${(n / 1e3).toFixed(1)}k` : String(n));
