// The page: one connection, one game, three views.

import { AnalysisPanel } from "./analysis_panel.js";
import { CompareView } from "./compare.js";
import { Connection, fetchJson, tabStorage } from "./connection.js";
import { $, $$, download, formatNumber, h, hideToast, makeTabs, toast } from "./dom.js";
import { ExperimentsView } from "./experiments.js";
import { onFileDropped } from "./file_drop.js";
import { GameView } from "./game_view.js";
import { positionLink, readLink, VIEWS } from "./links.js";
import { NewGameDialog } from "./new_game_dialog.js";
import { isRunning, overlayRows, preparationText } from "./search_panel.js";
import { StartScreen } from "./start_screen.js";
import { TreePanel } from "./tree_panel.js";

const PLAY_SLOTS = ["move", "analysis"]; // searches of the Play view; the others are compared
const HASH_KEY = "graven-hash"; // the fragment that this tab has written or followed

let state = null;
let search = null; // the search that the Play board shows
let view = "play";
let isStarting = false; // a new game has been asked for and is being set up
let pendingStart = null; // a game that was asked for before the connection was open
let newGameDialog, compareView, experimentsView; // created when the catalogue is loaded, or on first use
const agentChecks = new Map(); // by spec: the callbacks that wait for the server's answer

const gameView = new GameView(send);
const analysisPanel = new AnalysisPanel($("#panel-search"), { onDisplayChange: drawSearches });
const treeCard = h("section", { class: "card" });
$("#panel-tree").append(treeCard);
const treePanel = new TreePanel(treeCard, (slot, path, ref, maxMoves) => send("tree_node", { slot, path, ref, max_moves: maxMoves }));
const startScreen = new StartScreen({
  start: (game, title) => startGame({ game }, title),
  openSetup: openNewGame,
  openFile,
  resume: () => { startScreen.hide(); if (state) writeLink(); },
});
const selectTab = makeTabs($(".side .tabs"), (id) => { if (id === "tab-tree" && search) treePanel.update(search.slot, true); });

// Messages.

const HANDLERS = {
  hello: onHello,
  state: onState,
  search: onSearch,
  pondering: ({ player }) => { if (state && !isStarting) gameView.showPondering(player); },
  tree_node: (message) => treePanel.receive(message),
  error: onError,
  checked_agent: onCheckedAgent,
  file: (message) => download(message.name, message.text),
};

const connection = new Connection((message) => HANDLERS[message.type]?.(message), (status) => {
  $("#connection").textContent = status;
  $("#connection").classList.toggle("visually-hidden", status === "connected");
});

// Send a message without its empty fields; returns whether the connection was open.
function send(type, fields = {}) {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const wasSent = connection.send(type, Object.fromEntries(present));
  if (!wasSent) toast("Not connected: one moment.");
  return wasSent;
}

function checkAgent(spec, callback) {
  agentChecks.set(spec, [...(agentChecks.get(spec) ?? []), callback]);
  connection.send("check_agent", { agent: spec });
}

function onCheckedAgent(message) {
  for (const callback of agentChecks.get(message.agent) ?? []) callback(message);
  agentChecks.delete(message.agent);
}

// A new connection: open the game of a new link, else resume the session's game.
function onHello(message) {
  const link = readLink();
  const isNewLink = location.hash && location.hash !== tabStorage.get(HASH_KEY) && link.game;
  if (pendingStart) {
    const fields = pendingStart;
    pendingStart = null;
    send("new_game", fields);
    return;
  }
  if (message.has_game && !isNewLink) { startScreen.hide(); return; }
  if (link.game) openLink(link);
  else if (!isStarting) startScreen.show(null);
}

// Ask for a new game, and show at once that it is being set up.
function startGame(fields, title) {
  if (connection.isOpen) send("new_game", fields);
  else pendingStart = fields;
  isStarting = true;
  hideToast();
  search = null;
  treePanel.reset();
  analysisPanel.reset();
  startScreen.hide();
  gameView.showSetup(title);
}

// An error is shown where its cause is: in the dialog, in the tree, or as a message of the page.
function onError({ text, request }) {
  if (request === "tree_node") { treePanel.showNote(text); return; }
  if (request === "new_game") {
    isStarting = false;
    if (state) gameView.show(state, search);
    else startScreen.show(null);
    if (newGameDialog?.showError(text)) return;
  }
  toast(text);
}

function onState(message) {
  if (isStarting) {
    if (message.game.id === state?.game.id) return; // of the game before
    isStarting = false;
    newGameDialog?.close();
  }
  state = message;
  if (search && search.ply !== state.shown_ply && search.status !== "done") search = null;
  gameView.show(state, search);
  compareView?.showState(state, gameView.cellsOfMove, gameView.boardLabel());
  drawSearch();
  writeLink();
}

function onSearch(message) {
  if (isStarting) return; // of the game before
  if (!PLAY_SLOTS.includes(message.slot)) { compareView?.showSearch(message); return; }
  if (state && message.ply !== state.shown_ply && message.ply !== state.shown_ply - 1) return;
  search = message;
  analysisPanel.showSearch(message);
  const hasEnded = !isRunning(message);
  if (message.playouts) treePanel.update(message.slot, hasEnded);
  if (state) showProgress(message, hasEnded);
  drawSearch();
}

function showProgress({ playouts, playouts_per_second: rate, slot }, hasEnded) {
  if (isStarting) return;
  if (hasEnded) gameView.showStatus();
  else if (!state.is_over) {
    gameView.showStatus(playouts ? ` ${formatNumber(playouts)} playouts, ${formatNumber(rate)} a second.` : ` ${preparationText(search)}`);
  }
  if (slot === "move" && !hasEnded) gameView.drawGraph(search);
}

// Draw the search on the Play board, if it is a search of the position that is shown.
function drawSearch() {
  const current = search && state && search.ply === state.shown_ply && search.moves ? search : null;
  if (!current || isStarting) {
    gameView.board.showSearch([]);
    gameView.showLegend(null);
    analysisPanel.showPv(null);
    return;
  }
  const { measure, style, pv } = analysisPanel.display;
  const { rows, range } = overlayRows(current, gameView.cellsOfMove, measure);
  const isDrawn = style !== "off" && Boolean(state.svg);
  gameView.board.showSearch(isDrawn ? rows : [], { style, pv: pv ? current.pv ?? [] : [] });
  gameView.showLegend(isDrawn ? range : null);
  analysisPanel.showPv(current.pv ?? [], state.game.colours);
}

function drawSearches() {
  drawSearch();
  compareView?.draw();
}

// Links.

function openLink({ game, moves, paused }) { startGame({ game, moves, paused }, game); }

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
  if (name === "compare" && state) compareView?.showState(state, gameView.cellsOfMove, state.game.title);
  if (state) writeLink();
}
for (const button of $$("[data-view]")) button.addEventListener("click", () => showView(button.dataset.view));
$("#home").addEventListener("click", () => { showView("play"); startScreen.show(state?.game.title); });

$("#theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try { localStorage.setItem("graven-theme", root.dataset.theme); } catch { /* not stored */ }
});

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !state || isStarting || view !== "play") return;
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
    const { game, rules, moves, seats, playouts, seconds, seed } = JSON.parse(text);
    startGame({ game, rules, moves, seats, playouts, seconds: playouts ? null : seconds, seed, paused: true }, name);
  } catch { toast(`${name} is not a saved game.`); }
}
onFileDropped(openFile);

async function loadChoices() {
  const linkedView = readLink().view;
  if (linkedView !== "play" && VIEWS.includes(linkedView)) showView(linkedView);
  let choices;
  try { choices = await fetchJson("/api/choices"); } catch (error) { toast(error.message); return; }
  const start = (fields, title) => { showView("play"); startGame(fields, title); };
  startScreen.fill(choices);
  newGameDialog = new NewGameDialog($("#setup"), { choices, checkAgent, start });
  compareView = new CompareView($("#view-compare"), { choices, send, checkAgent, display: () => analysisPanel.display });
  analysisPanel.addForm({ choices, send, checkAgent });
  if (state) compareView.showState(state, gameView.cellsOfMove, state.game.title);
}
loadChoices();
if (readLink().game || tabStorage.get(HASH_KEY)) startScreen.hide(); // a game will be opened

// For tests and the browser's console.
window.graven = { get state() { return state; }, get search() { return search; }, send, showView, selectTab, openFile, startGame };
