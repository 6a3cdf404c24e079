// The list of moves: two columns for two players, else one entry for each ply.

import { $, h } from "./dom.js";
import { playerStyle } from "./colours.js";

// plies: [{ move, players, evaluation }]. onPick(ply) is called for a click on a move.
export function drawMoves(list, plies, { shownPly, colours, onPick }) {
  const isDuel = colours.length === 2;
  list.classList.toggle("two-columns", isDuel);
  const buttons = plies.map((ply, i) => moveButton(ply, i + 1, { shownPly, colours, onPick }));
  const rows = isDuel ? duelRows(plies, buttons) : buttons.map((button, i) => row(i + 1, [button]));
  list.replaceChildren(...rows);
  if (!plies.length) list.append(h("li", { class: "hint" }, "No moves yet."));
  const current = $(".here", list);
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
}

const row = (number, cells) => h("li", {}, h("span", { class: "number" }, `${number}.`), cells);

// The first player's moves are at the left, the second player's at the right; simultaneous moves
// take the whole row.
function duelRows(plies, buttons) {
  const rows = [];
  let cells = null;
  const finish = () => { if (cells) rows.push(row(rows.length + 1, cells.map((cell) => cell ?? h("span")))); cells = null; };
  plies.forEach(({ players }, i) => {
    const [player] = players;
    if (players.length > 1) {
      finish();
      buttons[i].classList.add("whole");
      rows.push(row(rows.length + 1, [buttons[i]]));
      return;
    }
    if (cells && (cells[player] || player === 0)) finish();
    cells ??= [null, null];
    cells[player] = buttons[i];
  });
  finish();
  return rows;
}

function moveButton({ move, players, evaluation }, ply, { shownPly, colours, onPick }) {
  const isShown = ply === shownPly;
  return h("button", { type: "button", class: isShown ? "here" : "", "aria-current": isShown ? "step" : undefined,
    onclick: () => onPick(ply) },
  h("span", { class: "stone", style: playerStyle(colours, players[0]), "aria-hidden": "true" }),
  h("span", { class: "move" }, move),
  evaluation ? h("small", {}, `${Math.round(100 * evaluation.value)}%`) : null);
}
