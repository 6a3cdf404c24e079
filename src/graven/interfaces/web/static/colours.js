// Colours of values, lines and players.

// Cividis (Nuñez, Anderton and Renslow 2018): dark blue to yellow, uniform for colour-blind users.
const STOPS = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

function interpolate(value) {
  const position = Math.max(0, Math.min(1, value)) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(position));
  const fraction = position - low;
  return STOPS[low].map((channel, i) => Math.round(channel + fraction * (STOPS[low + 1][i] - channel)));
}

// The colour of a value from 0 to 1, and the colour of text on it.
export const heatColour = (value) => `rgb(${interpolate(value).join(" ")})`;
export const textColourOn = (value) => (value > 0.55 ? "#10151a" : "#ffffff");

// Lines of charts: Okabe and Ito's colours, distinguished by dashes as well.
export const LINE_COLOURS = ["var(--line-1)", "var(--line-2)", "var(--line-3)", "var(--line-4)"];
export const LINE_DASHES = ["", "7 4", "2 3", "9 3 2 3"];

// The CSS class of a player's pieces: by the player's name if it is a colour, else by its number.
const PIECE_NAMES = ["white", "black", "red", "blue", "vertical", "horizontal"];
export function playerClass(names, player) {
  const name = String(names?.[player] ?? "").toLowerCase();
  return `tone-${PIECE_NAMES.includes(name) ? name : PIECE_NAMES[player % 4]}`;
}
