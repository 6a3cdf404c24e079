// Line charts.

import { LINE_COLOURS, LINE_DASHES } from "./colours.js";
import { h, s } from "./dom.js";

const WIDTH = 560, LEFT = 40, RIGHT = 12, TOP = 12, BOTTOM = 26;
const MAX_DOTS = 120; // a longer line is drawn without dots

// series: [{ label, points: [[x, y]], colour?, dash?, dots? }]. y is a share, from `low` to `high`;
// x is from `xLow` to at least `xHigh`, on a logarithmic axis if `log`. onPick(x) is called for
// clicks.
export function chart(host, { series, height = 150, low = 0, high = 1, xHigh, xLow = 0, log = false,
  cursor = null, onPick = null, label = "", middle = null, empty = "Nothing to show yet.", xName = "" }) {
  const shown = series.filter((line) => line.points.length);
  host.replaceChildren();
  if (!shown.length) {
    host.append(h("p", { class: "hint" }, empty));
    return;
  }
  const innerWidth = WIDTH - LEFT - RIGHT, innerHeight = height - TOP - BOTTOM;
  const xMax = Math.max(xHigh ?? 0, xLow + 1, ...shown.flatMap((line) => line.points.map(([x]) => x)));
  const scale = log ? (x) => Math.log10(Math.max(1, x)) : (x) => x;
  const span = scale(xMax) - scale(xLow) || 1;
  const X = (x) => LEFT + innerWidth * (scale(x) - scale(xLow)) / span;
  const Y = (y) => TOP + innerHeight * (1 - (y - low) / (high - low));
  const root = s("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label });
  for (const y of [low, (low + high) / 2, high]) {
    root.append(s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: Y(y), y2: Y(y), class: y === middle ? "axis strong" : "axis" }));
    root.append(s("text", { x: LEFT - 6, y: Y(y) + 4, "text-anchor": "end", class: "tick" }, `${Math.round(100 * y)}%`));
  }
  for (const x of ticks(xLow, xMax, log)) {
    root.append(s("text", { x: X(x), y: height - 8, "text-anchor": "middle", class: "tick" }, shortNumber(x)));
  }
  if (xName) root.append(s("text", { x: WIDTH - RIGHT, y: TOP + innerHeight - 4, "text-anchor": "end", class: "tick" }, xName));
  if (cursor !== null) root.append(s("line", { x1: X(cursor), x2: X(cursor), y1: TOP, y2: TOP + innerHeight, class: "cursor" }));
  shown.forEach((line, index) => {
    const colour = colourOf(line, index);
    const points = line.points.map(([x, y]) => `${X(x).toFixed(1)},${Y(y).toFixed(1)}`);
    root.append(s("polyline", { points: points.join(" "), fill: "none", stroke: colour, "stroke-width": 2.2,
      "stroke-dasharray": dashOf(line, index), "stroke-linejoin": "round" }));
    if ((line.dots !== false && line.points.length <= MAX_DOTS) || line.points.length < 3) {
      for (const [x, y] of line.points) root.append(s("circle", { cx: X(x), cy: Y(y), r: 2.6, fill: colour }));
    }
  });
  if (onPick) {
    const area = s("rect", { x: LEFT, y: TOP, width: innerWidth, height: innerHeight, fill: "transparent", class: "pick" });
    area.addEventListener("click", (event) => {
      const box = root.getBoundingClientRect();
      const fraction = ((event.clientX - box.left) / box.width * WIDTH - LEFT) / innerWidth;
      onPick(Math.round(xLow + fraction * (xMax - xLow)));
    });
    root.append(area);
  }
  host.append(root);
  if (shown.length > 1 || shown[0].label) host.append(h("p", { class: "legend" }, shown.map(legendEntry)));
}

const colourOf = (line, index) => line.colour ?? LINE_COLOURS[index % LINE_COLOURS.length];
const dashOf = (line, index) => line.dash ?? LINE_DASHES[index % LINE_DASHES.length];

function legendEntry(line, index) {
  return h("span", {},
    s("svg", { viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true" },
      s("line", { x1: 0, x2: 26, y1: 4, y2: 4, stroke: colourOf(line, index), "stroke-width": 2.4,
        "stroke-dasharray": dashOf(line, index) })),
    ` ${line.label}`);
}

function ticks(low, high, log) {
  const values = [];
  if (log) {
    for (let x = 1; x <= high; x *= 10) if (x >= low) values.push(x);
    return values;
  }
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((size) => (high - low) / size <= 8) ?? 1000;
  for (let x = Math.ceil(low / step) * step; x <= high; x += step) values.push(x);
  return values;
}

const shortNumber = (x) => (x >= 1e6 ? `${x / 1e6}M` : x >= 1e3 ? `${x / 1e3}k` : String(x));

// Evaluations { player, value } by ply (null where there is none) as the series of a chart. With
// two players all values are the first player's chances.
export function evaluationSeries(players, evaluations) {
  const isDuel = players.length === 2;
  const series = players.map((name) => ({ label: isDuel ? `${players[0]}'s chances, by ${name}` : name, points: [] }));
  evaluations.forEach((evaluation, ply) => {
    if (!evaluation) return;
    const { player, value } = evaluation;
    series[player].points.push([ply + 1, isDuel && player === 1 ? 1 - value : value]);
  });
  return series;
}
