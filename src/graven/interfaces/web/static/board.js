// A board that can be pointed at: the game draws itself and names its cells, we add what is believed.

import { $, announce, h, s } from "./dom.js";
import { heat, inkOn, tone } from "./colours.js";

let boards = 0;
const DRAG = 8; // pixels that make a drag of a click

export class Board {
  // onMove(move) is called with one of the moves that may be made.
  constructor(host, { onMove = null } = {}) {
    this.host = host;
    this.onMove = onMove;
    this.cells = new Map();
    this.moves = [];
    this.chosen = null;
    this.cursor = null;
    this.svgText = null;
    this.number = boards += 1;
  }

  show({ svg, text, label = "", players = [], moves = [], oneClick = false, last = [] }) {
    this.moves = moves;
    this.players = players;
    this.oneClick = oneClick;
    this.starts = new Map();
    for (const move of moves) {
      if (!move[1].length) continue;
      const first = move[1][0];
      if (!this.starts.has(first)) this.starts.set(first, []);
      this.starts.get(first).push(move);
    }
    if (svg !== this.svgText) this.draw(svg, text);
    this.chosen = null;
    if (!this.svg) return;
    this.svg.setAttribute("aria-label", label);
    this.svg.classList.toggle("open", moves.length > 0);
    this.mark(last);
    this.hint(null);
  }

  draw(svg, text) {
    this.svgText = svg;
    this.svg = null;
    this.cells.clear();
    this.cursor = null;
    if (!svg) {
      this.host.replaceChildren(h("pre", { class: "board-text" }, text ?? ""));
      return;
    }
    // Several boards on a page must not share the names of their gradients: one may be hidden.
    const named = svg.replaceAll("graven-stone-", `graven-${this.number}-stone-`);
    const parsed = new DOMParser().parseFromString(named, "image/svg+xml").documentElement;
    const root = document.importNode(parsed, true);
    root.removeAttribute("width");
    root.removeAttribute("height");
    $("title", root)?.remove();
    root.setAttribute("class", "board");
    root.setAttribute("role", "application");
    root.setAttribute("tabindex", "0");
    for (const cell of root.querySelectorAll("[data-cell]")) {
      const place = this.place(cell);
      const known = this.cells.get(cell.dataset.cell);
      if (known) known.push(place);
      else this.cells.set(cell.dataset.cell, [place]);
    }
    this.under = s("g", { class: "marks" });
    this.beliefs = s("g", { class: "beliefs" });
    this.hints = s("g", { class: "hints" });
    const group = $(".graven-cells", root);
    (group?.parentNode ?? root).insertBefore(this.under, group);
    root.append(this.beliefs, this.hints);
    this.svg = root;
    this.host.replaceChildren(root);
    if (this.onMove) this.listen(root);
  }

  place(cell) {
    const get = (name) => Number(cell.getAttribute(name));
    if (cell.tagName === "circle") return { x: get("cx"), y: get("cy"), size: 2 * get("r"), wide: 2 * get("r") };
    return { x: get("x") + get("width") / 2, y: get("y") + get("height") / 2,
      size: Math.min(get("width"), get("height")), wide: get("width") };
  }

  at(name) { return this.cells.get(name)?.[0]; }

  // Pointing, clicking, dragging.

  listen(root) {
    const cellOf = (event) => event.target.closest?.("[data-cell]")?.dataset.cell ?? null;
    let down = null;
    root.addEventListener("pointerover", (event) => { if (!this.chosen) this.hint(cellOf(event)); });
    root.addEventListener("pointerleave", () => { if (!this.chosen) this.hint(null); });
    root.addEventListener("pointerdown", (event) => {
      const cell = cellOf(event);
      down = cell && event.pointerType !== "touch" ? { cell, x: event.clientX, y: event.clientY } : null;
    });
    root.addEventListener("pointermove", (event) => {
      if (!down || !this.starts.has(down.cell)) return;
      if (Math.hypot(event.clientX - down.x, event.clientY - down.y) < DRAG) return;
      if (this.chosen !== down.cell && !this.single(down.cell)) this.choose(down.cell);
      this.svg.classList.add("dragging");
    });
    root.addEventListener("pointerup", (event) => {
      this.svg.classList.remove("dragging");
      const under = document.elementFromPoint(event.clientX, event.clientY);
      const cell = under?.closest?.("[data-cell]")?.dataset.cell;
      if (down && cell && cell !== down.cell && this.starts.has(down.cell)) {
        this.chosen = down.cell;
        this.dragged = true;
        this.press(cell);
      }
      down = null;
    });
    root.addEventListener("click", (event) => {
      if (this.dragged) { this.dragged = false; return; }
      const cell = cellOf(event);
      if (cell) this.press(cell);
    });
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focus", () => { if (root.matches(":focus-visible")) this.point(this.cursor ?? this.first()); });
    root.addEventListener("blur", () => this.point(null));
  }

  // Whether the first cell alone tells the move.
  single(cell) {
    const moves = this.starts.get(cell) ?? [];
    return this.oneClick || moves.every((move) => move[1].length === 1);
  }

  press(cell) {
    if (this.chosen && cell !== this.chosen) {
      const found = this.starts.get(this.chosen)?.filter((move) => move[1].at(-1) === cell) ?? [];
      if (found.length) return this.play(found);
    }
    if (this.chosen === cell) return this.choose(null);
    const moves = this.starts.get(cell);
    if (!moves) {
      const other = this.oneClick ? this.moves.filter((move) => move[1].includes(cell)) : [];
      if (other.length === 1) return this.play(other);
      return this.choose(null);
    }
    if (this.single(cell)) return this.play(moves);
    return this.choose(cell);
  }

  choose(cell) {
    this.chosen = cell;
    this.hint(cell);
    if (cell) announce(`${cell} chosen; it can go to ${this.starts.get(cell).map((move) => move[1].at(-1)).join(", ")}`);
  }

  play(moves) {
    this.chosen = null;
    this.hint(null);
    if (moves.length === 1) { this.onMove(moves[0][0]); return; }
    const dialog = $("#chooser");
    dialog.replaceChildren(
      h("h2", {}, "Which move?"),
      h("div", { class: "actions wrap" },
        moves.map((move) => h("button", { type: "button", onclick: () => { dialog.close(); this.onMove(move[0]); } }, move[0])),
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel")));
    dialog.showModal();
  }

  // What may be done with a cell: shown when it is pointed at.
  hint(cell) {
    if (!this.svg) return;
    this.hints.replaceChildren();
    this.point(this.cursorShown ? this.cursor : null);
    const moves = cell ? this.starts?.get(cell) : null;
    this.svg.classList.toggle("may", Boolean(moves));
    if (!moves) return;
    for (const each of this.cells.get(cell) ?? []) this.hints.append(this.ring(each, "from"));
    for (const move of moves) {
      for (const name of move[1].slice(1)) {
        const place = this.at(name);
        if (place) this.hints.append(s("circle", { cx: place.x, cy: place.y, r: place.size * 0.17, class: "to" }));
      }
    }
  }

  ring(place, kind) {
    if (place.wide > 3 * place.size) {
      return s("rect", { x: place.x - place.wide / 2 + 1, y: place.y - place.size / 2, width: place.wide - 2,
        height: place.size, rx: 3, class: kind });
    }
    const side = place.size * 0.9;
    return s("rect", { x: place.x - side / 2, y: place.y - side / 2, width: side, height: side, rx: side / 6, class: kind });
  }

  mark(names) {
    this.under.replaceChildren(...names.flatMap((name) => (this.cells.get(name) ?? []).slice(0, 1).map((each) => this.ring(each, "last"))));
  }

  // Keys: arrows go from cell to cell, Enter presses.

  first() { return this.starts.keys().next().value ?? this.cells.keys().next().value; }

  point(cell) {
    this.cursorRing?.remove();
    this.cursorShown = cell !== null;
    if (!cell || !this.at(cell)) return;
    this.cursor = cell;
    this.cursorRing = this.ring(this.at(cell), "cursor");
    this.hints.append(this.cursorRing);
  }

  key(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in ways) {
      const next = this.towards(this.cursor ?? this.first(), ways[event.key]);
      if (next) {
        if (!this.chosen) this.hint(next);
        this.point(next);
        const may = this.chosen ? this.starts.get(this.chosen).some((move) => move[1].at(-1) === next) : this.starts.has(next);
        announce(next + (may ? ", a legal move" : ""));
      }
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.cursor) this.press(this.cursor);
    } else if (event.key === "Escape") {
      this.choose(null);
    } else return;
    event.preventDefault();
  }

  towards(cell, [across, down]) {
    const here = this.at(cell);
    let best = null, least = Infinity;
    for (const [name, [place]] of this.cells) {
      const dx = place.x - here.x, dy = place.y - here.y;
      const ahead = dx * across + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * across);
      if (ahead < 1 || aside > ahead * 1.2) continue;
      const cost = ahead + 2.2 * aside;
      if (cost < least) { least = cost; best = name; }
    }
    return best;
  }

  // What a search believes: `rows` are { cells, share, measure, label }, the best first.
  believe(rows, { style = "heat", line = [] } = {}) {
    if (!this.svg) return;
    const drawn = [];
    if (style === "arrows") {
      for (const row of rows.slice(0, 16).reverse()) drawn.push(...this.arrow(row));
    } else if (style === "heat") {
      const spots = new Map();
      for (const row of rows) {
        const target = row.cells.at(-1);
        if (!target || !this.at(target)) continue;
        const known = spots.get(target);
        if (!known) spots.set(target, { ...row });
        else if (row.adds) { known.share += row.share; known.measure = known.share; known.label = row.text(known.share); }
      }
      const top = Math.max(1e-9, ...[...spots.values()].map((spot) => (spot.adds ? spot.measure : 1)));
      for (const [target, spot] of spots) drawn.push(...this.spot(this.at(target), spot, top));
    }
    // The first moves last, so that they lie on top.
    [...line.entries()].reverse().forEach(([index, [player, , cells]]) => {
      const place = this.at(cells?.at(-1));
      if (!place) return;
      const r = Math.max(7, place.size * 0.17);
      const x = place.x + (place.wide > 3 * place.size ? place.wide / 2 - r : place.size * 0.3);
      const y = place.y - (place.wide > 3 * place.size ? 0 : place.size * 0.3);
      drawn.push(s("g", { class: `badge ${tone(this.players, player)}` },
        s("circle", { cx: x, cy: y, r }),
        s("text", { x, y: y + r * 0.42, "font-size": r * 1.25, "text-anchor": "middle" }, String(index + 1))));
    });
    this.beliefs.replaceChildren(...drawn);
  }

  spot(place, row, top) {
    const value = row.adds ? row.measure / top : row.measure;
    const r = place.size * (row.adds ? 0.14 + 0.28 * Math.sqrt(value) : 0.14 + 0.28 * Math.sqrt(Math.min(1, row.share * 4)));
    const shapes = [s("circle", { cx: place.x, cy: place.y, r, fill: heat(value), class: "spot" })];
    if (row.label && r > place.size * 0.24) {
      shapes.push(s("text", { x: place.x, y: place.y + place.size * 0.09, "font-size": place.size * 0.27,
        "text-anchor": "middle", fill: inkOn(value), class: "spot-text" }, row.label));
    }
    return shapes;
  }

  arrow(row) {
    const from = this.at(row.cells[0]), to = this.at(row.cells.at(-1));
    if (!from || !to) return [];
    if (from === to) return this.spot(to, row, 1);
    const wide = from.size * (0.05 + 0.22 * Math.sqrt(row.share));
    const dx = to.x - from.x, dy = to.y - from.y, long = Math.hypot(dx, dy);
    const ux = dx / long, uy = dy / long, head = Math.max(wide * 1.8, from.size * 0.18);
    const end = [to.x - ux * head, to.y - uy * head];
    const side = [-uy * head * 0.62, ux * head * 0.62];
    return [s("g", { class: "arrow", fill: heat(row.measure), stroke: heat(row.measure) },
      s("line", { x1: from.x, y1: from.y, x2: end[0], y2: end[1], "stroke-width": wide, "stroke-linecap": "round" }),
      s("path", { d: `M${to.x} ${to.y}L${end[0] + side[0]} ${end[1] + side[1]}L${end[0] - side[0]} ${end[1] - side[1]}Z`, stroke: "none" }))];
  }
}
