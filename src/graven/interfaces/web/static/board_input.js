// Input on a board: clicks, drags and keys.

const DRAG_DISTANCE = 8; // pixels from which a click becomes a drag
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function addInput(board, root) {
  addPointer(board, root);
  addKeys(board, root);
}

function addPointer(board, root) {
  const cellOf = (event) => event.target.closest?.("[data-cell]")?.dataset.cell ?? null;
  let origin = null; // where the button went down
  let dragged = false;
  root.addEventListener("pointerover", (event) => { if (!board.selected) board.showHints(cellOf(event)); });
  root.addEventListener("pointerleave", () => { if (!board.selected) board.showHints(null); });
  root.addEventListener("pointerdown", (event) => {
    const cell = cellOf(event);
    origin = cell && event.pointerType !== "touch" ? { cell, x: event.clientX, y: event.clientY } : null;
  });
  root.addEventListener("pointermove", (event) => {
    if (!origin || !board.movesByFirstCell.has(origin.cell)) return;
    if (Math.hypot(event.clientX - origin.x, event.clientY - origin.y) < DRAG_DISTANCE) return;
    if (board.selected !== origin.cell && !board.isSingleCell(origin.cell)) board.select(origin.cell);
    root.classList.add("dragging");
  });
  root.addEventListener("pointerup", (event) => {
    root.classList.remove("dragging");
    const element = document.elementFromPoint(event.clientX, event.clientY);
    const cell = element?.closest?.("[data-cell]")?.dataset.cell;
    if (origin && cell && cell !== origin.cell && board.movesByFirstCell.has(origin.cell)) {
      board.selected = origin.cell;
      dragged = true;
      board.press(cell);
    }
    origin = null;
  });
  root.addEventListener("click", (event) => {
    if (dragged) { dragged = false; return; }
    const cell = cellOf(event);
    if (cell) board.press(cell);
  });
}

// Arrow keys move a cursor from cell to cell, Enter or Space presses, Escape cancels.
function addKeys(board, root) {
  root.addEventListener("keydown", (event) => {
    if (event.key in DIRECTIONS) board.moveCursor(DIRECTIONS[event.key]);
    else if (event.key === "Enter" || event.key === " ") {
      if (board.cursor) board.press(board.cursor);
    } else if (event.key === "Escape") board.select(null);
    else return;
    event.preventDefault();
  });
  root.addEventListener("focus", () => {
    if (root.matches(":focus-visible")) board.showCursor(board.cursor ?? board.firstCell());
  });
  root.addEventListener("blur", () => board.showCursor(null));
}

// The nearest cell in a direction; cells off to the side cost more.
export function nextCell(cells, name, [across, down]) {
  const [from] = cells.get(name);
  let best = null, lowestCost = Infinity;
  for (const [candidate, [shape]] of cells) {
    const dx = shape.x - from.x, dy = shape.y - from.y;
    const ahead = dx * across + dy * down;
    const aside = Math.abs(dx * down) + Math.abs(dy * across);
    if (ahead < 1 || aside > ahead * 1.2) continue;
    const cost = ahead + 2.2 * aside;
    if (cost < lowestCost) { lowestCost = cost; best = candidate; }
  }
  return best;
}
