// The page: one connection, one game, three views.

import { AnalysisPanel } from "./analysis_panel.js";
import { CompareView } from "./compare.js";
import { Connection, fetchJson, tabStorage } from "./connection.js";
import { $, $$, download, formatNumber, h, makeTabs, toast } from "./dom.js";
import { ExperimentsView } from "./experiments.js";
import { onFileDropped } from "./file_drop.js";
import { GameView } from "./game_view.js";
import { positionLink, readLink, VIEWS } from "./links.js";
import { NewGameDialog } from "./new_game_dialog.js";
import { isRunning, overlayRows } from "./search_panel.js";
import { TreePanel } from "./tree_panel.js";

const DEFAULT_GAME = "breakthrough";
const HASH_KEY = "graven-hash"; // the fragment that this tab has written or followed

let state = null;
let search = null; // the search that the Play board shows
let view = "play";
let newGameDialog, compareView, experimentsView; // created when the catalogue is loaded, or on first use
const agentChecks = new Map(); // by spec: the callback that waits for the server's answer

const gameView = new GameView(send);
const analysisPanel = new AnalysisPanel($("#panel-search"), { onDisplayChange: drawSearches });
const treeCard = h("section", { class: "card" });
$("#panel-tree").append(treeCard);
const treePanel = new TreePanel(treeCard, (slot, path, ref, maxMoves) => send("tree_node", { slot, path, ref, max_moves: maxMoves }));
const selectTab = makeTabs($(".side .tabs"), (id) => { if (id === "tab-tree" && search) treePanel.update(search.slot, true); });

// Messages.

const HANDLERS = {
  hello: onHello,
  state: onState,
  search: onSearch,
  tree_node: (message) => treePanel.receive(message),
  error: (message) => toast(message.text),
  checked_agent: (message) => { agentChecks.get(message.agent)?.(message); agentChecks.delete(message.agent); },
  file: (message) => download(message.name, message.text),
};

const connection = new Connection((message) => HANDLERS[message.type]?.(message), (status) => {
  $("#connection").textContent = status;
  $("#connection").dataset.status = status;
});

// Send a message without its empty fields; returns whether the connection was open.
function send(type, fields = {}) {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const wasSent = connection.send(type, Object.fromEntries(present));
  if (!wasSent) toast("Not connected: one moment.");
  return wasSent;
}

function checkAgent(spec, callback) {
  agentChecks.set(spec, callback);
  connection.send("check_agent", { agent: spec });
}

// A new connection: open the game of a new link, else resume the session's game.
function onHello(message) {
  const link = readLink();
  const isNewLink = location.hash && location.hash !== tabStorage.get(HASH_KEY) && link.game;
  if (message.has_game && !isNewLink) return;
  if (link.game) openLink(link);
  else send("new_game", { game: DEFAULT_GAME });
}

function onState(message) {
  state = message;
  if (search && search.ply !== state.shown_ply && search.status !== "done") search = null;
  gameView.show(state, search);
  compareView?.showState(state, gameView.cellsOfMove, gameView.boardLabel());
  drawSearch();
  writeLink();
}

function onSearch(message) {
  if (message.slot !== "move") compareView?.showSearch(message);
  if (message.slot === "b" || (message.slot === "a" && view === "compare")) return;
  if (state && message.ply !== state.shown_ply && message.ply !== state.shown_ply - 1) return;
  search = message;
  analysisPanel.showSearch(message);
  const hasEnded = !isRunning(message);
  if (message.playouts) treePanel.update(message.slot, hasEnded);
  if (state) showProgress(message, hasEnded);
  drawSearch();
}

function showProgress({ playouts, playouts_per_second: rate, slot }, hasEnded) {
  if (hasEnded) gameView.showStatus();
  else if (!state.is_over) {
    gameView.showStatus(playouts ? ` ${formatNumber(playouts)} playouts, ${formatNumber(rate)} a second.`
      : " Compiling, the first time only…");
  }
  if (slot === "move" && !hasEnded) gameView.drawGraph(search);
}

// Draw the search on the Play board, if it is a search of the position that is shown.
function drawSearch() {
  const current = search && state && search.ply === state.shown_ply && search.moves ? search : null;
  if (!current) {
    gameView.board.showSearch([]);
    analysisPanel.showPv(null);
    return;
  }
  const { measure, style, pv } = analysisPanel.display;
  const rows = style === "off" ? [] : overlayRows(current, gameView.cellsOfMove, measure);
  gameView.board.showSearch(rows, { style, pv: pv ? current.pv ?? [] : [] });
  analysisPanel.showPv(current.pv ?? [], state.game.players);
}

function drawSearches() {
  drawSearch();
  compareView?.draw();
}

// Links.

function openLink({ game, moves, paused }) { send("new_game", { game, moves, paused }); }

function writeLink() {
  const parameters = new URLSearchParams(state ? positionLink(state, state.plies.length) ?? "" : "");
  if (view !== "play") parameters.set("view", view);
  const hash = `#${parameters}`;
  tabStorage.set(HASH_KEY, hash);
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

addEventListener("hashchange", () => {
  const link = readLink(), linkedView = link.view ?? "play";
  const isNewGame = link.game && location.hash !== tabStorage.get(HASH_KEY);
  if (linkedView !== view && VIEWS.includes(linkedView)) showView(linkedView);
  if (isNewGame) openLink(link);
});

// Views and theme.

function showView(name) {
  view = name;
  for (const id of VIEWS) $(`#view-${id}`).hidden = id !== name;
  for (const button of $$("[data-view]")) {
    if (button.dataset.view === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  if (name === "experiments") {
    experimentsView ??= new ExperimentsView($("#view-experiments"));
    experimentsView.show();
  } else experimentsView?.hide();
  if (name === "compare" && state) compareView?.showState(state, gameView.cellsOfMove, state.game.name);
  if (state) writeLink();
}
for (const button of $$("[data-view]")) button.addEventListener("click", () => showView(button.dataset.view));

$("#theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try { localStorage.setItem("graven-theme", root.dataset.theme); } catch { /* not stored */ }
});

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !state || view !== "play") return;
  if (event.target.closest("input, select, textarea, dialog, [role=tablist], [role=tree], svg.board")) return;
  const { undo, pause, step } = gameView.actions;
  const shortcut = { u: undo, p: pause, s: step, n: openNewGame,
    ArrowLeft: () => gameView.jump("back"), ArrowRight: () => gameView.jump("forward") }[event.key];
  if (!shortcut) return;
  shortcut();
  event.preventDefault();
});

// New games and files.

function openNewGame() {
  if (newGameDialog) newGameDialog.open(state);
  else toast("One moment: the games are being loaded.");
}
$("#new-game").addEventListener("click", openNewGame);

// Open a saved game (.json), or start a game with the rules of a GDL file.
function openFile(name, text) {
  if (!name.toLowerCase().endsWith(".json")) {
    newGameDialog.open(state, text, name);
    showView("play");
    return;
  }
  try {
    const { game, rules, moves, seats, playouts, seconds } = JSON.parse(text);
    send("new_game", { game, rules, moves, seats, playouts, seconds: playouts ? null : seconds, paused: true });
  } catch { toast(`${name} is not a saved game.`); }
}
onFileDropped(openFile);

async function loadChoices() {
  const linkedView = readLink().view;
  if (linkedView !== "play" && VIEWS.includes(linkedView)) showView(linkedView);
  let choices;
  try { choices = await fetchJson("/api/choices"); } catch (error) { toast(error.message); return; }
  const start = (fields) => { showView("play"); send("new_game", fields); };
  newGameDialog = new NewGameDialog($("#setup"), { choices, checkAgent, start });
  compareView = new CompareView($("#view-compare"), { choices, send, checkAgent, display: () => analysisPanel.display });
  analysisPanel.addForm({ choices, send, checkAgent });
  if (state) compareView.showState(state, gameView.cellsOfMove, state.game.name);
}
loadChoices();

// For tests and the browser's console.
window.graven = { get state() { return state; }, get search() { return search; }, send, showView, selectTab, openFile };
