// Line charts, small and plain.

import { s } from "./dom.js";
import { DASHES, LINES } from "./colours.js";

const WIDTH = 560, LEFT = 40, RIGHT = 12, TOP = 12, BOTTOM = 26;

// series: [{ label, points: [[x, y]], colour?, dash?, dots? }]; y from 0 to 1 unless told.
export function chart(host, { series, height = 150, low = 0, high = 1, xMost, xLow = 0, log = false,
  cursor = null, onPick = null, label = "", middle = null, empty = "Nothing to show yet.", xName = "" }) {
  const shown = series.filter((each) => each.points.length);
  host.replaceChildren();
  if (!shown.length) {
    host.append(Object.assign(document.createElement("p"), { className: "hint", textContent: empty }));
    return;
  }
  const inner = WIDTH - LEFT - RIGHT, tall = height - TOP - BOTTOM;
  const most = Math.max(xMost ?? 0, xLow + 1, ...shown.flatMap((each) => each.points.map(([x]) => x)));
  const scale = log ? (x) => Math.log10(Math.max(1, x)) : (x) => x;
  const span = scale(most) - scale(xLow) || 1;
  const X = (x) => LEFT + inner * (scale(x) - scale(xLow)) / span;
  const Y = (y) => TOP + tall * (1 - (y - low) / (high - low));
  const root = s("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label });
  for (const y of [low, (low + high) / 2, high]) {
    root.append(s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: Y(y), y2: Y(y), class: y === middle ? "axis strong" : "axis" }));
    root.append(s("text", { x: LEFT - 6, y: Y(y) + 4, "text-anchor": "end", class: "tick" }, `${Math.round(100 * y)}%`));
  }
  for (const x of ticks(xLow, most, log)) {
    root.append(s("text", { x: X(x), y: height - 8, "text-anchor": "middle", class: "tick" }, short(x)));
  }
  if (xName) root.append(s("text", { x: WIDTH - RIGHT, y: TOP + tall - 4, "text-anchor": "end", class: "tick" }, xName));
  if (cursor !== null) root.append(s("line", { x1: X(cursor), x2: X(cursor), y1: TOP, y2: TOP + tall, class: "cursor" }));
  shown.forEach((each, index) => {
    const colour = each.colour ?? LINES[index % LINES.length];
    const points = each.points.map(([x, y]) => `${X(x).toFixed(1)},${Y(y).toFixed(1)}`);
    root.append(s("polyline", { points: points.join(" "), fill: "none", stroke: colour, "stroke-width": 2.2,
      "stroke-dasharray": each.dash ?? DASHES[index % DASHES.length], "stroke-linejoin": "round" }));
    if ((each.dots !== false && each.points.length <= 120) || each.points.length < 3) {
      for (const [x, y] of each.points) root.append(s("circle", { cx: X(x), cy: Y(y), r: 2.6, fill: colour }));
    }
  });
  if (onPick) {
    const area = s("rect", { x: LEFT, y: TOP, width: inner, height: tall, fill: "transparent", class: "pick" });
    area.addEventListener("click", (event) => {
      const box = root.getBoundingClientRect();
      const part = ((event.clientX - box.left) / box.width * WIDTH - LEFT) / inner;
      onPick(Math.round(xLow + part * (most - xLow)));
    });
    root.append(area);
  }
  host.append(root);
  if (shown.length > 1 || shown[0].label) {
    const legend = document.createElement("p");
    legend.className = "legend";
    shown.forEach((each, index) => {
      const key = document.createElement("span");
      key.append(
        s("svg", { viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true" },
          s("line", { x1: 0, x2: 26, y1: 4, y2: 4, stroke: each.colour ?? LINES[index % LINES.length],
            "stroke-width": 2.4, "stroke-dasharray": each.dash ?? DASHES[index % DASHES.length] })),
        ` ${each.label}`);
      legend.append(key);
    });
    host.append(legend);
  }
}

function ticks(low, high, log) {
  if (log) {
    const found = [];
    for (let x = 1; x <= high; x *= 10) if (x >= low) found.push(x);
    return found;
  }
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((each) => (high - low) / each <= 8) ?? 1000;
  const found = [];
  for (let x = Math.ceil(low / step) * step; x <= high; x += step) found.push(x);
  return found;
}

const short = (x) => (x >= 1e6 ? `${x / 1e6}M` : x >= 1e3 ? `${x / 1e3}k` : String(x));
