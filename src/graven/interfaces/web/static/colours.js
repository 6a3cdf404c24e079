// Cividis (Nuñez, Anderton and Renslow 2018): dark blue to yellow, even to the colour-blind.

const STOPS = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

function at(value) {
  const place = Math.max(0, Math.min(1, value)) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(place));
  const part = place - low;
  return STOPS[low].map((channel, i) => Math.round(channel + part * (STOPS[low + 1][i] - channel)));
}

export const heat = (value) => `rgb(${at(value).join(" ")})`;
export const inkOn = (value) => (value > 0.55 ? "#10151a" : "#ffffff");

// For lines and seats: Okabe and Ito's colours, told apart by dashes as well.
export const LINES = ["var(--line-1)", "var(--line-2)", "var(--line-3)", "var(--line-4)"];
export const DASHES = ["", "7 4", "2 3", "9 3 2 3"];

// A player in the colour of its pieces, where its name tells; else light and dark in turn.
const TONES = ["white", "black", "red", "blue", "vertical", "horizontal"];
export function tone(names, player) {
  const named = String(names?.[player] ?? "").toLowerCase();
  return `tone-${TONES.includes(named) ? named : TONES[player % 4]}`;
}
