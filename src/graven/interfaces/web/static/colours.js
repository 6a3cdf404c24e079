// Colours of values, lines and players.

// Cividis (Nuñez, Anderton and Renslow 2018): dark blue to yellow, uniform for colour-blind users.
const STOPS = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

function interpolate(value) {
  const position = Math.max(0, Math.min(1, value)) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(position));
  const fraction = position - low;
  return STOPS[low].map((channel, i) => Math.round(channel + fraction * (STOPS[low + 1][i] - channel)));
}

// The colour of a value from 0 to 1, the colour of text on it, and the whole scale from left to right.
export const heatColour = (value) => `rgb(${interpolate(value).join(" ")})`;
export const textColourOn = (value) => (value > 0.55 ? "#10151a" : "#ffffff");
export const HEAT_SCALE = `linear-gradient(to right, ${STOPS.map((stop) => `rgb(${stop.join(" ")})`).join(", ")})`;

// Lines of charts: Okabe and Ito's colours, distinguished by dashes as well.
export const LINE_COLOURS = ["var(--line-1)", "var(--line-2)", "var(--line-3)", "var(--line-4)"];
export const LINE_DASHES = ["", "7 4", "2 3", "9 3 2 3"];

// The style of something in a player's colours: those of the pieces, which the server sends.
export function playerStyle(colours, player) {
  const { fill, ink } = colours?.[player] ?? { fill: "#b9bcb8", ink: "#1d2429" };
  return { "--piece": fill, "--on-piece": ink };
}
