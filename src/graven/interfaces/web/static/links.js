// Links: the game, its moves and the view in the fragment of the address.

export const VIEWS = ["play", "compare", "experiments"];

export function readLink() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  return {
    view: parameters.get("view"),
    game: parameters.get("game"),
    moves: splitMoves(parameters.get("moves") ?? ""),
    paused: parameters.get("paused") === "1",
  };
}

// The fragment of the position after `ply` moves; null for a game whose rules came from a file.
export function positionLink(state, ply) {
  if (state.game.from_rules) return null;
  const moves = state.plies.slice(0, ply).map((played) => played.move);
  return new URLSearchParams({
    game: state.game.spec, ...(moves.length ? { moves: joinMoves(moves) } : {}),
  }).toString();
}

// Moves of GDL games contain blanks: moves are then terminated by semicolons, which no move has.
function splitMoves(text) {
  return text.split(text.includes(";") ? ";" : " ").map((move) => move.trim()).filter(Boolean);
}

function joinMoves(moves) {
  return moves.some((move) => /\s/.test(move)) ? moves.map((move) => `${move};`).join("") : moves.join(" ");
}
