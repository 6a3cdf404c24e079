// A board: the game's own SVG drawing, whose cells are named, with layers for marks and hints.

import { $, announce, h, s } from "./dom.js";
import { addInput, nextCell } from "./board_input.js";
import { drawOverlay } from "./board_overlay.js";

let boardCount = 0;

// A move is [text, cells]: the cells that its text names, in order.
export class Board {
  // onMove(text) is called with one of the legal moves; without it the board takes no input.
  constructor(host, { onMove = null } = {}) {
    this.host = host;
    this.onMove = onMove;
    this.cells = new Map(); // by name: the shapes of the cell, { x, y, size, width }
    this.moves = [];
    this.movesByFirstCell = new Map();
    this.selected = null; // the first cell of a move in progress
    this.cursor = null; // the cell of the keyboard cursor
    this.drawn = null; // the drawing that is shown: its SVG or its text
    this.id = boardCount += 1;
  }

  show({ svg, text, label = "", colours = [], moves = [], oneClick = false, lastCells = [] }) {
    this.moves = moves;
    this.colours = colours;
    this.oneClick = oneClick;
    this.movesByFirstCell = new Map();
    for (const move of moves) {
      if (!move[1].length) continue;
      const first = move[1][0];
      if (!this.movesByFirstCell.has(first)) this.movesByFirstCell.set(first, []);
      this.movesByFirstCell.get(first).push(move);
    }
    if ((svg ?? text) !== this.drawn) this.draw(svg, text);
    this.selected = null;
    if (!this.svg) return;
    this.svg.setAttribute("aria-label", label);
    this.markLastMove(lastCells);
    this.showHints(null);
  }

  // Show a message in place of the board.
  clear(...content) {
    this.moves = [];
    this.movesByFirstCell = new Map();
    this.svg = null;
    this.drawn = null;
    this.host.replaceChildren(...content);
  }

  draw(svg, text) {
    this.drawn = svg ?? text;
    this.svg = null;
    this.cells.clear();
    this.cursor = null;
    if (!svg) {
      this.host.replaceChildren(h("pre", { class: "board-text", tabindex: "0", role: "img", "aria-label": "The position as text" }, text ?? ""));
      return;
    }
    // Gradient ids must be unique on the page: a gradient of a hidden board is not drawn.
    const unique = svg.replaceAll("graven-stone-", `graven-${this.id}-stone-`);
    const parsed = new DOMParser().parseFromString(unique, "image/svg+xml").documentElement;
    const root = document.importNode(parsed, true);
    root.removeAttribute("width");
    root.removeAttribute("height");
    $("title", root)?.remove();
    root.setAttribute("class", "board");
    const [, , width, height] = root.getAttribute("viewBox").split(" ").map(Number);
    root.style.setProperty("--ratio", String(width / height));
    root.setAttribute("role", this.onMove ? "application" : "img");
    if (this.onMove) root.setAttribute("tabindex", "0");
    for (const cell of root.querySelectorAll("[data-cell]")) {
      const shape = shapeOf(cell);
      const shapes = this.cells.get(cell.dataset.cell);
      if (shapes) shapes.push(shape);
      else this.cells.set(cell.dataset.cell, [shape]);
    }
    this.marks = s("g", { class: "marks" });
    this.overlay = s("g", { class: "overlay" });
    this.hints = s("g", { class: "hints" });
    const group = $(".graven-cells", root);
    (group?.parentNode ?? root).insertBefore(this.marks, group);
    root.append(this.overlay, this.hints);
    this.svg = root;
    this.host.replaceChildren(root);
    if (this.onMove) addInput(this, root);
  }

  // The shape of a cell, undefined if the drawing has no such cell.
  shape(name) { return this.cells.get(name)?.[0]; }

  // Draw the moves of a search, { cells, share, ... } with the best first, and its pv.
  showSearch(rows, options) {
    if (this.svg) drawOverlay(this, rows, options);
  }

  // Selecting and playing moves.

  // Whether the first cell alone identifies the move.
  isSingleCell(cell) {
    const moves = this.movesByFirstCell.get(cell) ?? [];
    return this.oneClick || moves.every((move) => move[1].length === 1);
  }

  press(cell) {
    if (this.selected && cell !== this.selected) {
      const moves = this.movesByFirstCell.get(this.selected)?.filter((move) => move[1].at(-1) === cell) ?? [];
      if (moves.length) return this.play(moves);
    }
    if (this.selected === cell) return this.select(null);
    const moves = this.movesByFirstCell.get(cell);
    if (!moves) {
      const covering = this.oneClick ? this.moves.filter((move) => move[1].includes(cell)) : [];
      if (covering.length === 1) return this.play(covering);
      return this.select(null);
    }
    if (this.isSingleCell(cell)) return this.play(moves);
    return this.select(cell);
  }

  select(cell) {
    this.selected = cell;
    this.showHints(cell);
    if (!cell) return;
    const targets = this.movesByFirstCell.get(cell).map((move) => move[1].at(-1));
    announce(`${cell} selected; it can move to ${targets.join(", ")}`);
  }

  // Play the only move, or let the user choose one of several.
  play(moves) {
    this.selected = null;
    this.showHints(null);
    if (moves.length === 1) { this.onMove(moves[0][0]); return; }
    const dialog = $("#move-chooser");
    const button = ([text]) => h("button", { type: "button", onclick: () => { dialog.close(); this.onMove(text); } }, text);
    dialog.replaceChildren(
      h("h2", { id: "move-chooser-title" }, "Which move?"),
      h("div", { class: "actions wrap" }, moves.map(button),
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel")));
    dialog.showModal();
  }

  // Marks.

  // Show the moves that begin at a cell.
  showHints(cell) {
    if (!this.svg) return;
    this.hints.replaceChildren();
    this.showCursor(this.cursorVisible ? this.cursor : null);
    const moves = cell ? this.movesByFirstCell.get(cell) : null;
    this.svg.classList.toggle("clickable", Boolean(moves));
    if (!moves) return;
    for (const shape of this.cells.get(cell) ?? []) this.hints.append(ring(shape, "from"));
    for (const move of moves) {
      for (const name of move[1].slice(1)) {
        const target = this.shape(name);
        if (target) this.hints.append(s("circle", { cx: target.x, cy: target.y, r: target.size * 0.17, class: "to" }));
      }
    }
  }

  markLastMove(names) {
    const shapes = names.map((name) => this.shape(name)).filter(Boolean);
    this.marks.replaceChildren(...shapes.map((shape) => ring(shape, "last")));
  }

  showCursor(cell) {
    this.cursorRing?.remove();
    this.cursorVisible = cell !== null;
    if (!cell || !this.shape(cell)) return;
    this.cursor = cell;
    this.cursorRing = ring(this.shape(cell), "cursor");
    this.hints.append(this.cursorRing);
  }

  // The keyboard cursor.

  firstCell() { return this.movesByFirstCell.keys().next().value ?? this.cells.keys().next().value; }

  moveCursor(direction) {
    const next = nextCell(this.cells, this.cursor ?? this.firstCell(), direction);
    if (!next) return;
    if (!this.selected) this.showHints(next);
    this.showCursor(next);
    const isLegal = this.selected
      ? this.movesByFirstCell.get(this.selected).some((move) => move[1].at(-1) === next)
      : this.movesByFirstCell.has(next);
    announce(next + (isLegal ? ", a legal move" : ""));
  }
}

// The centre and the extent of a cell's own shape, which may be a rectangle, a circle or a polygon.
function shapeOf(cell) {
  const get = (name) => Number(cell.getAttribute(name));
  if (cell.tagName === "circle") return { cell, x: get("cx"), y: get("cy"), size: 2 * get("r"), width: 2 * get("r") };
  if (cell.tagName === "polygon") {
    const points = cell.getAttribute("points").trim().split(/\s+/).map((point) => point.split(",").map(Number));
    const middle = (axis) => (Math.min(...points.map((p) => p[axis])) + Math.max(...points.map((p) => p[axis]))) / 2;
    const width = Math.max(...points.map((p) => p[0])) - Math.min(...points.map((p) => p[0]));
    return { cell, x: middle(0), y: middle(1), size: width, width };
  }
  return { cell, x: get("x") + get("width") / 2, y: get("y") + get("height") / 2,
    size: Math.min(get("width"), get("height")), width: get("width") };
}

// A frame in the shape of a cell, slightly smaller than it.
function ring({ cell, x, y, width, size }, kind) {
  const frame = cell.cloneNode(false);
  frame.removeAttribute("data-cell");
  frame.setAttribute("class", kind);
  const across = 1 - 5 / width, down = 1 - 5 / size;
  frame.setAttribute("transform", `translate(${x} ${y}) scale(${across.toFixed(3)} ${down.toFixed(3)}) translate(${-x} ${-y})`);
  return frame;
}
