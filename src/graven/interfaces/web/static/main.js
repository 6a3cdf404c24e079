// The page: one connection, one game, three views.

import { $, $$, announce, download, h, number, percent, tabs, toast } from "./dom.js";
import { AgentPicker, BudgetPicker } from "./agents.js";
import { Board } from "./board.js";
import { chart } from "./chart.js";
import { tone } from "./colours.js";
import { Compare } from "./compare.js";
import { Laboratory, estimates } from "./lab.js";
import { SearchPanel, beliefs } from "./search.js";
import { Setup } from "./setup.js";
import { Connection, fetched, memory } from "./socket.js";
import { TreePanel } from "./tree.js";

const DEFAULT_GAME = "breakthrough";
const HASH = "graven-hash";

let state = null;
let choices = null;
let think = null; // the search that the board shows
let cellsOf = new Map();
let setup, compare, laboratory, analyst, analystBudget;
const asked = new Map(); // specs that wait for an answer

const board = new Board($("#board"), { onMove: (move) => play(move) });
const look = { measure: "visits", style: "heat", line: true };

// The connection.

const connection = new Connection(hear, (status) => {
  $("#connection").textContent = status;
  $("#connection").dataset.status = status;
});

function say(type, fields) {
  const clean = Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== null && value !== undefined));
  const sent = connection.say(type, clean);
  if (!sent) toast("Not connected: one moment.");
  return sent;
}

function hear(message) {
  ({ hello, state: showState, think: showThink, tree: (said) => tree.answer(said), error: (said) => toast(said.text),
    agent: (said) => { asked.get(said.agent)?.(said); asked.delete(said.agent); },
    file: (said) => download(said.name, said.text) })[message.type]?.(message);
}

function hello(message) {
  const link = readHash();
  const fresh = location.hash && location.hash !== memory.get(HASH) && link.game;
  if (message.game && !fresh) return;
  if (link.game) say("new", { game: link.game, moves: link.moves, paused: link.paused });
  else say("new", { game: DEFAULT_GAME });
}

function check(spec, then) {
  asked.set(spec, then);
  connection.say("agent", { agent: spec });
}

// Links: a game and its moves in the address.

function readHash() {
  const words = new URLSearchParams(location.hash.slice(1));
  return { view: words.get("view"), game: words.get("game"), moves: split(words.get("moves") ?? ""), paused: words.get("paused") === "1" };
}

// Moves of GDL have blanks in them: each then ends with a semicolon, which no move has.
const split = (moves) => moves.split(moves.includes(";") ? ";" : " ").map((move) => move.trim()).filter(Boolean);
const joined = (moves) => (moves.some((move) => /\s/.test(move)) ? moves.map((move) => `${move};`).join("") : moves.join(" "));

function linkTo(ply) {
  const moves = state.plies.slice(0, ply).map((each) => each.move);
  if (state.game.fromRules) return null;
  return new URLSearchParams({ game: state.game.spec, ...(moves.length ? { moves: joined(moves) } : {}) }).toString();
}

function writeHash() {
  const words = new URLSearchParams(state ? linkTo(state.plies.length) ?? "" : "");
  if (view !== "play") words.set("view", view);
  const hash = `#${words}`;
  memory.set(HASH, hash);
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

addEventListener("hashchange", () => {
  const link = readHash(), wanted = link.view ?? "play";
  const other = link.game && location.hash !== memory.get(HASH);
  if (wanted !== view && ["play", "compare", "experiments"].includes(wanted)) show(wanted);
  if (other) say("new", { game: link.game, moves: link.moves, paused: link.paused });
});

// The game.

function showState(said) {
  const before = state;
  state = said;
  if (think && think.ply !== state.at && think.status !== "done") think = null;
  cellsOf = new Map(Object.values(state.moves).flat());
  const mine = state.mayMove.length ? state.moves[state.mayMove[0]] : [];
  const last = state.at ? state.plies[state.at - 1].cells : [];
  const label = `${state.game.name}. ${statusText()}`;
  $("#game-title").textContent = state.game.spec;
  document.title = `${state.game.name} · graven`;
  board.show({ svg: state.svg, text: state.text, label, players: state.game.players, moves: mine, oneClick: state.game.oneClick, last });
  compare?.state(state, cellsOf, label);
  if (before && before.plies.length < state.plies.length) {
    const ply = state.plies.at(-1);
    announce(`${ply.players.map((player) => state.game.players[player]).join(" and ")}: ${ply.move}. ${statusText()}`);
  }
  seats();
  otherMoves(mine);
  $("#status").textContent = statusText();
  $("#status").dataset.over = String(state.over);
  moveList();
  graph();
  actions();
  paint();
  writeHash();
}

function statusText() {
  const { game, scores, points } = state;
  if (state.at < state.plies.length) return `Looking back: after ${state.at} of ${state.plies.length} moves.`;
  if (state.over && game.players.length === 1) return `The game is over: ${points === null ? `${percent(scores[0])} %` : `${number(points)} points`}.`;
  if (state.over) {
    const best = Math.max(...scores);
    const winners = game.players.filter((_, player) => scores[player] === best);
    const gave = state.resigned === null ? "" : `${game.players[state.resigned]} gave up. `;
    return gave + (winners.length === 1 ? `${winners[0]} wins.` : winners.length === game.players.length ? "A draw." : `${winners.join(" and ")} win.`);
  }
  if (state.mayMove.length) {
    const so = points === null ? "" : ` ${number(points)} points so far.`;
    return `${game.players[state.mayMove[0]]} to move: your turn.${so}`;
  }
  if (state.paused) return "Paused.";
  return `${state.choosers.map((player) => game.players[player]).join(" and ")} to move…`;
}

function seats() {
  $("#seats").replaceChildren(...state.game.players.map((name, player) => {
    const turn = !state.over && state.choosers.includes(player);
    return h("div", { class: `seat${turn ? " turn" : ""}` }, h("span", { class: `stone ${tone(state.game.players, player)}`, "aria-hidden": "true" }),
      h("strong", {}, name), h("span", { class: "who" }, state.seats[player] === "person" ? "you" : state.seats[player]),
      state.scores ? h("span", { class: "score" }, `${percent(state.scores[player], 0)} %`) : null);
  }));
}

// Moves that no cell tells, and a field for those who would rather type.
function otherMoves(moves) {
  const host = $("#other-moves");
  const without = state.svg ? moves.filter((move) => !move[1].length) : moves;
  const buttons = without.slice(0, 300).map(([move]) => h("button", { type: "button", onclick: () => play(move) }, move));
  if (!moves.length) { host.replaceChildren(); return; }
  const typed = h("input", { placeholder: "or type a move", "aria-label": "Type a move", list: "legal-moves", autocomplete: "off", spellcheck: "false" });
  host.replaceChildren(...buttons, h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); if (typed.value.trim()) play(typed.value.trim()); typed.value = ""; } },
    typed, h("datalist", { id: "legal-moves" }, moves.slice(0, 500).map(([move]) => h("option", { value: move })))));
}

function play(move) { say("move", { move, player: state.mayMove[0], ply: state.at }); }

function moveList() {
  const list = $("#move-list");
  list.replaceChildren(...state.plies.map((ply, i) => h("li", {},
    h("button", { type: "button", class: i + 1 === state.at ? "here" : "", "aria-current": i + 1 === state.at ? "step" : undefined,
      onclick: () => say("jump", { ply: i + 1 }) },
      h("span", { class: `stone ${tone(state.game.players, ply.players[0])}`, "aria-hidden": "true" }), ply.move,
      ply.note ? h("small", {}, ` ${Math.round(100 * ply.note[1])}%`) : null))));
  if (!state.plies.length) list.append(h("li", { class: "hint" }, "Nothing yet."));
  const here = $(".here", list);
  if (here) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
}

function graph() {
  const notes = state.plies.map((ply) => ply.note);
  // A search under way is the last point of the line, and moves.
  const live = think && think.ply === state.plies.length && think.lens === "move" && think.value !== undefined && think.value !== null;
  chart($("#win-graph"), { series: estimates(state.game.players, live ? [...notes, [think.player, think.value]] : notes), xMost: Math.max(10, state.plies.length),
    cursor: state.at, middle: 0.5, onPick: (ply) => say("jump", { ply: Math.max(0, Math.min(state.plies.length, ply)) }),
    label: "Win estimates through the game", xName: "ply", empty: "It begins with the first move of an agent's." });
}

function actions() {
  const set = (name, on) => { $(`[data-do=${name}]`).disabled = !on; };
  const agents = state.seats.some((seat) => seat !== "person");
  const people = state.seats.some((seat) => seat === "person");
  set("undo", state.plies.length > 0 || state.resigned !== null);
  set("swap", state.game.players.length > 1);
  set("resign", state.game.players.length > 1 && people && !state.over);
  set("pause", agents && !state.over);
  set("step", agents && !state.over && (state.paused || state.at < state.plies.length));
  set("now", agents && !state.over && !state.mayMove.length);
  set("sgf", state.game.sgf);
  set("link", linkTo(0) !== null);
  const pause = $("[data-do=pause]");
  const waits = state.paused || state.at < state.plies.length;
  pause.setAttribute("aria-pressed", String(waits));
  pause.textContent = waits ? "Go on" : "Pause";
}

const deeds = {
  undo: () => say("undo"), swap: () => say("swap"), resign: () => say("resign"), step: () => say("step"),
  pause: () => say("pause", { on: !(state.paused || state.at < state.plies.length) }), now: () => say("stop", { lens: "move" }),
  json: () => say("save", { format: "json" }), sgf: () => say("save", { format: "sgf" }),
  link: async () => {
    const link = `${location.origin}/#${linkTo(state.at)}`;
    try { await navigator.clipboard.writeText(link); toast("The link to this position is in the clipboard.", "good"); } catch { toast(link, "good"); }
  },
};
for (const button of $$("[data-do]")) button.addEventListener("click", () => state && deeds[button.dataset.do]());
for (const button of $$("[data-jump]")) {
  button.addEventListener("click", () => state && jump({ first: 0, back: state.at - 1, on: state.at + 1, last: state.plies.length }[button.dataset.jump]));
}
function jump(ply) { if (ply >= 0 && ply <= state.plies.length) say("jump", { ply }); }

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !state || view !== "play") return;
  if (event.target.closest("input, select, textarea, dialog, [role=tablist], [role=tree], svg.board")) return;
  const keys = { u: deeds.undo, p: deeds.pause, s: deeds.step, n: openSetup, ArrowLeft: () => jump(state.at - 1), ArrowRight: () => jump(state.at + 1) };
  if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
});

// Watching it think.

const searchHost = $("#panel-search"), treeHost = $("#panel-tree");
const searchCard = h("section", { class: "card" });
const lookTools = h("div", { class: "row look" },
  select("Show", { visits: "visits", mean: "mean", amaf: "AMAF" }, "measure"),
  select("as", { heat: "heat map", arrows: "arrows", off: "nothing" }, "style"),
  h("label", { class: "check" }, h("input", { type: "checkbox", checked: true, onchange: (event) => { look.line = event.target.checked; paint(); compare?.paint(); } }), " main line"));
const lineText = h("p", { class: "line" });
const analyse = h("details", { class: "card" }, h("summary", {}, "Analyse this position"));
searchHost.append(h("section", { class: "card" }, lookTools, lineText), searchCard, analyse);
const searchPanel = new SearchPanel(searchCard);
const treeCard = h("section", { class: "card" });
treeHost.append(treeCard);
const tree = new TreePanel(treeCard, (lens, path, ref, most) => say("tree", { lens, path, ref, most }));
const goTab = tabs($(".side .tabs"), (id) => { if (id === "tab-tree" && think) tree.update(think.lens, true); });

function select(name, options, key) {
  return h("label", { class: "inline" }, h("span", {}, name), h("select", { "aria-label": `${name}: ${key}`, onchange: (event) => { look[key] = event.target.value; paint(); compare?.paint(); } },
    Object.entries(options).map(([value, text]) => h("option", { value }, text))));
}

function showThink(said) {
  if (said.lens !== "move") compare?.think(said);
  if (said.lens === "b" || (said.lens === "a" && view === "compare")) return;
  if (state && said.ply !== state.at && said.ply !== state.at - 1) return;
  think = said;
  searchPanel.show(said);
  const final = said.status !== "searching" && said.status !== "waiting";
  if (said.playouts) tree.update(said.lens, final);
  if (!final && state && !state.over) $("#status").textContent = said.playouts
    ? `${statusText()} ${number(said.playouts)} playouts, ${number(said.rate)} a second.` : `${statusText()} Compiling, the first time only…`;
  if (final && state) $("#status").textContent = statusText();
  if (said.lens === "move" && !final && state) graph();
  paint();
}

function paint() {
  const current = think && state && think.ply === state.at && think.moves ? think : null;
  if (!current) {
    board.believe([]);
    lineText.textContent = "";
    return;
  }
  board.believe(look.style === "off" ? [] : beliefs(current, cellsOf, look.measure), { style: look.style, line: look.line ? current.line ?? [] : [] });
  lineText.replaceChildren(h("span", { class: "label" }, "Main line "), ...(current.line ?? []).map(([player, move], i) =>
    h("span", { class: `ply ${tone(state.game.players, player)}` }, `${i + 1}. ${move}`)));
}

// Views, theme, files.

let view = "play";
function show(name) {
  view = name;
  for (const each of ["play", "compare", "experiments"]) $(`#view-${each}`).hidden = each !== name;
  for (const button of $$("[data-view]")) {
    if (button.dataset.view === name) button.setAttribute("aria-current", "page"); else button.removeAttribute("aria-current");
  }
  if (name === "experiments") { laboratory ??= new Laboratory($("#view-experiments")); laboratory.show(); } else laboratory?.hide();
  if (name === "compare" && state) compare?.state(state, cellsOf, state.game.name);
  if (state) writeHash();
}
for (const button of $$("[data-view]")) button.addEventListener("click", () => show(button.dataset.view));

$("#theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("graven-theme", document.documentElement.dataset.theme); } catch { /* then not */ }
});

function openSetup() { if (setup) setup.open(state); else toast("One moment: the games are being loaded."); }
$("#new-game").addEventListener("click", openSetup);

let drags = 0;
const dropping = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
addEventListener("dragenter", (event) => { if (dropping(event)) { drags += 1; $("#drop").hidden = false; } });
addEventListener("dragleave", (event) => { if (dropping(event) && (drags -= 1) <= 0) $("#drop").hidden = true; });
addEventListener("dragover", (event) => { if (dropping(event)) event.preventDefault(); });
addEventListener("drop", async (event) => {
  if (!dropping(event)) return;
  event.preventDefault();
  drags = 0;
  $("#drop").hidden = true;
  const [file] = event.dataTransfer.files;
  if (file) openFile(file.name, await file.text());
});

function openFile(name, text) {
  if (!name.toLowerCase().endsWith(".json")) { setup.open(state, text, name); show("play"); return; }
  try {
    const saved = JSON.parse(text);
    say("new", { game: saved.game, rules: saved.rules, moves: saved.moves, seats: saved.seats, playouts: saved.playouts, seconds: saved.playouts ? null : saved.seconds, paused: true });
  } catch { toast(`${name} is no saved game.`); }
}

async function begin() {
  const first = readHash().view;
  if (["compare", "experiments"].includes(first)) show(first);
  try { choices = await fetched("/api/choices"); } catch (error) { toast(error.message); return; }
  setup = new Setup($("#setup"), { choices, check, begin: (fields) => { show("play"); say("new", fields); } });
  compare = new Compare($("#view-compare"), { choices, say, check, look: () => look });
  analyst = new AgentPicker({ choices, value: "grave", check, label: "With" });
  analystBudget = new BudgetPicker({ choices, playouts: 50000 });
  analyse.append(analyst.element, analystBudget.element, h("div", { class: "actions" },
    h("button", { type: "button", class: "primary", id: "analyse", onclick: () => say("watch", { lens: "a", agent: analyst.value, ...analystBudget.value }) }, "Analyse"),
    h("button", { type: "button", onclick: () => say("stop", {}) }, "Stop")));
  if (state) compare.state(state, cellsOf, state.game.name);
}
begin();

// For tests, and for the curious.
window.graven = { get state() { return state; }, get think() { return think; }, say, show, goTab, openFile };
