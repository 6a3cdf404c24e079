// The moves of a search drawn on a board: a heat map or arrows, and the principal variation.

import { heatColour, playerStyle, textColourOn } from "./colours.js";
import { s } from "./dom.js";

const MAX_ARROWS = 16;

// Whether a cell is a row of text rather than a point or a square.
export const isWide = (shape) => shape.width > 3 * shape.size;

// rows: see `overlayRows` in search_panel.js. style: "heat", "arrows" or "off".
export function drawOverlay(board, rows, { style = "heat", pv = [] } = {}) {
  const shapes = [];
  if (style === "arrows") {
    for (const row of rows.slice(0, MAX_ARROWS).reverse()) shapes.push(...arrow(board, row));
  } else if (style === "heat") {
    shapes.push(...heatMap(board, rows));
  }
  shapes.push(...pvBadges(board, pv));
  board.overlay.replaceChildren(...shapes);
}

// One spot for each target cell: of the first, most visited move to it.
function heatMap(board, rows) {
  const spots = new Map();
  for (const row of rows) {
    const target = row.cells.at(-1);
    if (target && board.shape(target) && !spots.has(target)) spots.set(target, row);
  }
  return [...spots].flatMap(([target, row]) => spot(board.shape(target), row));
}

// The colour is the value's place in the range that the legend shows; so is the area of visits.
function spot(shape, row) {
  const { scaled: value, isShare } = row;
  const r = shape.size * (isShare ? 0.14 + 0.28 * Math.sqrt(value) : 0.36);
  const shapes = [s("circle", { cx: shape.x, cy: shape.y, r, fill: heatColour(value), class: "spot" })];
  if (row.label && r > shape.size * 0.24) {
    shapes.push(s("text", { x: shape.x, y: shape.y + shape.size * 0.09, "font-size": shape.size * 0.27,
      "text-anchor": "middle", fill: textColourOn(value), class: "spot-text" }, row.label));
  }
  return shapes;
}

function arrow(board, row) {
  const from = board.shape(row.cells[0]), to = board.shape(row.cells.at(-1));
  if (!from || !to) return [];
  if (from === to) return spot(to, row);
  const width = from.size * (0.05 + 0.22 * Math.sqrt(row.share));
  const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy);
  const ux = dx / length, uy = dy / length, head = Math.max(width * 1.8, from.size * 0.18);
  const end = [to.x - ux * head, to.y - uy * head];
  const side = [-uy * head * 0.62, ux * head * 0.62];
  const tip = `M${to.x} ${to.y}L${end[0] + side[0]} ${end[1] + side[1]}L${end[0] - side[0]} ${end[1] - side[1]}Z`;
  return [s("g", { class: "arrow", fill: heatColour(row.scaled), stroke: heatColour(row.scaled) },
    s("line", { x1: from.x, y1: from.y, x2: end[0], y2: end[1], "stroke-width": width, "stroke-linecap": "round" }),
    s("path", { d: tip, stroke: "none" }))];
}

// Numbered badges on the targets of the pv; drawn in reverse, so that the first moves are on top.
function pvBadges(board, pv) {
  const badges = [];
  [...pv.entries()].reverse().forEach(([index, [player, , cells]]) => {
    const shape = board.shape(cells?.at(-1));
    if (!shape) return;
    const r = Math.max(7, shape.size * 0.17);
    const x = shape.x + (isWide(shape) ? shape.width / 2 - r : shape.size * 0.3);
    const y = shape.y - (isWide(shape) ? 0 : shape.size * 0.3);
    badges.push(s("g", { class: "badge", style: playerStyle(board.colours, player) },
      s("circle", { cx: x, cy: y, r }),
      s("text", { x, y: y + r * 0.42, "font-size": r * 1.25, "text-anchor": "middle" }, String(index + 1))));
  });
  return badges;
}
