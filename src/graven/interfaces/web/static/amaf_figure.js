// A figure of the path from the root to a node, with an arc from the node to the one whose AMAF
// table each policy reads (after Sironi and Winands 2016, figure 1).

import { s } from "./dom.js";

export const POLICIES = [
  { key: "rave", name: "RAVE", colour: "var(--line-2)", dash: "7 4" },
  { key: "grave", name: "GRAVE", colour: "var(--line-1)", dash: "" },
  { key: "hrave", name: "HRAVE", colour: "var(--line-3)", dash: "2 3" },
];

const HEIGHT = 172, LEFT = 44, GAP = 92, MIN_WIDTH = 300;
const Y = 118; // of the nodes

export function amafFigure(names, node) {
  const last = names.length - 1;
  const width = Math.max(MIN_WIDTH, 60 + GAP * last + 60);
  const root = s("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, class: "path", role: "img",
    "aria-label": `The path from the root to ${names.at(-1)}` });
  for (let depth = 0; depth < last; depth += 1) {
    root.append(s("line", { x1: xOf(depth), x2: xOf(depth + 1), y1: Y, y2: Y, class: "edge" }));
  }
  POLICIES.forEach((policy, index) => root.append(...arc(policy, index, last, node.amaf_depth_by_policy[policy.key])));
  names.forEach((name, depth) => root.append(
    s("circle", { cx: xOf(depth), cy: Y, r: 16, class: depth === last ? "here" : "" }),
    s("text", { x: xOf(depth), y: Y + 4, "text-anchor": "middle", class: "visits" }, shortNumber(node.path_visits[depth])),
    s("text", { x: xOf(depth), y: Y + 36, "text-anchor": "middle", class: "name" }, name)));
  return root;
}

const xOf = (depth) => LEFT + GAP * depth;

// An arc from the last node to the node at `depth`, or a loop if they are the same.
function arc({ name, colour, dash }, index, last, depth) {
  const isLoop = depth === last;
  const from = xOf(last), to = xOf(depth), lift = 22 + 24 * index;
  const height = isLoop ? 30 + lift : lift + Math.min(34, 8 * (last - depth));
  const d = isLoop
    ? `M${from - 8 + 6 * index} ${Y - 18}C${from - 30} ${Y - height - 14},${from + 30} ${Y - height - 14},${from + 8} ${Y - 18}`
    : `M${from} ${Y - 18}C${from} ${Y - height - 26},${to} ${Y - height - 26},${to + 4 * index - 4} ${Y - 20}`;
  return [
    s("path", { d, fill: "none", stroke: colour, "stroke-width": 2.4, "stroke-dasharray": dash }),
    s("text", { x: isLoop ? from + 16 : (from + to) / 2, y: Math.max(11, Y - height - (isLoop ? 2 : 20) + 8), fill: colour,
      "text-anchor": isLoop ? "start" : "middle", class: "policy" }, name),
  ];
}

function shortNumber(n) {
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)}M`;
  if (n >= 1e4) return `${Math.round(n / 1e3)}k`;
  return n >= 1e3 ? `${(n / 1e3).toFixed(1)}k` : String(n);
}
