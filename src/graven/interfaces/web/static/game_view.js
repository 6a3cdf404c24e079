// The play view: board, seats, status, moves, win estimates and the buttons of the game.

import { $, $$, announce, formatNumber, formatPercent, formatSeconds, h, specText, titleNodes, toast } from "./dom.js";
import { Board } from "./board.js";
import { chart, evaluationSeries } from "./chart.js";
import { HEAT_SCALE, playerStyle } from "./colours.js";
import { positionLink } from "./links.js";
import { drawMoves } from "./move_list.js";

const MAX_MOVE_BUTTONS = 300, MAX_SUGGESTED_MOVES = 500;
const MAX_CONTROL_MOVES = 3; // moves without a cell, such as pass, that are shown beside the controls
const PERSON = "person";

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export class GameView {
  // send(type, fields) sends a message to the server.
  constructor(send) {
    this.send = send;
    this.state = null;
    this.cellsOfMove = new Map(); // by move: the cells that it names
    this.board = new Board($("#board"), { onMove: (move) => this.play(move) });
    this.actions = {
      undo: () => send("undo"),
      rotate: () => send("rotate_seats"),
      resign: () => $("#confirm-resign").showModal(),
      pause: () => send("set_paused", { paused: !this.isHalted() }),
      step: () => send("step"),
      now: () => send("finish_search", { slot: "move" }),
      json: () => send("save", { format: "json" }),
      sgf: () => send("save", { format: "sgf" }),
      link: () => this.copyLink(),
    };
    for (const button of $$("[data-action]")) {
      button.addEventListener("click", () => this.state && this.actions[button.dataset.action]());
    }
    $("#keep-playing").addEventListener("click", () => $("#confirm-resign").close());
    $("#resign-now").addEventListener("click", () => { $("#confirm-resign").close(); send("resign"); });
    for (const button of $$("[data-jump]")) {
      button.addEventListener("click", () => this.state && this.jump(button.dataset.jump));
    }
  }

  // `search` is the search whose estimate is added to the graph, if any.
  show(state, search) {
    const previous = this.state;
    this.state = state;
    this.cellsOfMove = new Map(Object.values(state.legal_moves).flat());
    const [person] = state.persons_to_move;
    const moves = person === undefined ? [] : state.legal_moves[person];
    clearInterval(this.setupTimer);
    this.showTitle(state.game.title, state.game.from_rules ? null : state.game.spec);
    this.board.show({ svg: state.svg, text: state.text, label: this.boardLabel(), colours: state.game.colours, moves,
      oneClick: state.game.one_click, lastCells: state.shown_ply ? state.plies[state.shown_ply - 1].cells : [] });
    if (previous && previous.plies.length < state.plies.length) this.announceLastMove();
    this.drawSeats();
    this.drawOtherMoves(moves);
    this.showStatus();
    $("#status").dataset.over = String(state.is_over);
    drawMoves($("#move-list"), state.plies, { shownPly: state.shown_ply, colours: state.game.colours,
      onPick: (ply) => this.goToPly(ply) });
    this.drawGraph(search);
    this.enableButtons();
    $("#seed").textContent = `Seed ${state.seed}: the same seed, moves and playouts repeat the agents' moves.`;
  }

  // A game is being made: its rules may have to be compiled. The old board is not shown meanwhile.
  showSetup(title) {
    const elapsed = h("p", { class: "hint" }), startedAt = performance.now();
    const tick = () => {
      const seconds = (performance.now() - startedAt) / 1000;
      elapsed.textContent = seconds < 1 ? "" : `Compiling its rules, the first time only: ${formatSeconds(seconds)}`;
    };
    clearInterval(this.setupTimer);
    this.setupTimer = setInterval(tick, 500);
    this.state = null;
    this.showTitle(title, null);
    for (const id of ["seats", "other-moves", "cell-less-moves", "type-move", "move-list", "win-graph"]) $(`#${id}`).replaceChildren();
    this.showLegend(null);
    for (const button of $$("[data-action], [data-jump]")) button.disabled = true;
    this.board.clear(h("div", { class: "setting-up", role: "status" }, h("div", { class: "spinner", "aria-hidden": "true" }),
      h("p", {}, `Setting up ${title}…`), elapsed));
    $("#status").textContent = "";
  }

  showTitle(title, spec) {
    $("#game-title").replaceChildren(...titleNodes(title));
    document.title = `${title} · graven`;
    $("#game-spec").replaceChildren(...(spec && spec !== title ? [specText(spec)] : []));
  }

  // The range of the heat map's colours, or nothing.
  showLegend(range) {
    const legend = $("#heat-legend");
    legend.hidden = !range;
    if (!range) return;
    const names = { visits: "visits", mean: "mean", amaf: "AMAF" };
    legend.replaceChildren(h("span", {}, `${names[range.measure]} ${formatPercent(range.low)} %`),
      h("i", { style: { background: HEAT_SCALE } }), h("span", {}, `${formatPercent(range.high)} %`));
    legend.setAttribute("role", "img");
    legend.setAttribute("aria-label", `Colours: ${names[range.measure]} from ${formatPercent(range.low)} to ${formatPercent(range.high)} per cent`);
  }

  // Texts.

  boardLabel() { return `${this.state.game.title}. ${this.statusText()}`; }

  showStatus(suffix = "") { $("#status").textContent = `${this.statusText()}${suffix}`; }

  // The agent that searches while a person is to move; null: none does.
  showPondering(player) {
    if (this.state.persons_to_move.length) this.showStatus(player === null ? "" : ` ${capital(this.state.game.players[player])} thinks, too.`);
  }

  statusText() {
    const { state } = this, { game, points } = state;
    if (!this.showsLastPly()) return `Looking back: after ${state.shown_ply} of ${state.plies.length} moves.`;
    if (state.is_over) return this.resultText();
    if (state.persons_to_move.length) {
      const soFar = points === null ? "" : ` ${formatNumber(points)} points so far.`;
      return `${capital(game.players[state.persons_to_move[0]])} to move: your turn.${soFar}`;
    }
    if (state.paused) return "Paused.";
    return `${capital(this.playerNames(state.players_to_move))} to move…`;
  }

  resultText() {
    const { game, scores, points, resigned } = this.state;
    if (game.players.length === 1) {
      return `The game is over: ${points === null ? `${formatPercent(scores[0])} %` : `${formatNumber(points)} points`}.`;
    }
    const best = Math.max(...scores);
    const winners = game.players.filter((_, player) => scores[player] === best);
    const resignation = resigned === null ? "" : `${capital(game.players[resigned])} resigned. `;
    if (winners.length === 1) return `${resignation}${capital(winners[0])} wins.`;
    return resignation + (winners.length === game.players.length ? "A draw." : `${winners.join(" and ")} win.`);
  }

  playerNames(players) { return players.map((player) => this.state.game.players[player]).join(" and "); }

  announceLastMove() {
    const ply = this.state.plies.at(-1);
    announce(`${this.playerNames(ply.players)}: ${ply.move}. ${this.statusText()}`);
  }

  // Parts of the view.

  drawSeats() {
    const { game, scores, seats, is_over: isOver, players_to_move: playersToMove } = this.state;
    $("#seats").replaceChildren(...game.players.map((name, player) => {
      const isToMove = !isOver && playersToMove.includes(player);
      return h("div", { class: `seat${isToMove ? " turn" : ""}` }, this.stone(player),
        h("strong", {}, capital(name)), h("span", { class: "who" }, seats[player] === PERSON ? "you" : specText(seats[player])),
        scores ? h("span", { class: "score" }, `${formatPercent(scores[player], 0)} %`) : null);
    }));
  }

  stone(player) {
    return h("span", { class: "stone", style: playerStyle(this.state.game.colours, player), "aria-hidden": "true" });
  }

  // Buttons for moves that name no cell, and an input field for any move.
  drawOtherMoves(moves) {
    const host = $("#other-moves"), controls = $("#cell-less-moves");
    controls.replaceChildren();
    $("#type-move").replaceChildren();
    if (!moves.length) { host.replaceChildren(); return; }
    const withoutCells = this.state.svg ? moves.filter((move) => !move[1].length) : moves;
    const buttons = withoutCells.slice(0, MAX_MOVE_BUTTONS).map(([move]) =>
      h("button", { type: "button", class: "move-button", onclick: () => this.play(move) }, this.moveLabel(move)));
    if (this.state.svg && buttons.length <= MAX_CONTROL_MOVES) controls.append(...buttons.splice(0));
    const input = h("input", { placeholder: "Type a move", "aria-label": "Type a move", list: "legal-moves",
      autocomplete: "off", spellcheck: "false" });
    const onsubmit = (event) => {
      event.preventDefault();
      if (input.value.trim()) this.play(input.value.trim());
      input.value = "";
    };
    host.replaceChildren(...buttons);
    $("#type-move").append(h("form", { class: "type-move", onsubmit }, input,
      h("datalist", { id: "legal-moves" }, moves.slice(0, MAX_SUGGESTED_MOVES).map(([move]) => h("option", { value: move })))));
  }

  // A word such as pass begins with a capital letter on its button.
  moveLabel(move) { return /^[a-z]+$/.test(move) ? capital(move) : move; }

  // Win estimates by ply; the running search of the agent to move is the last point.
  drawGraph(search) {
    const { game, plies, shown_ply: shownPly } = this.state;
    const evaluations = plies.map((ply) => ply.evaluation);
    const isLive = search && search.ply === plies.length && search.slot === "move"
      && search.value !== undefined && search.value !== null;
    chart($("#win-graph"), {
      series: evaluationSeries(game.players, isLive ? [...evaluations, search] : evaluations),
      xHigh: Math.max(10, plies.length), cursor: shownPly, middle: 0.5,
      onPick: (ply) => this.goToPly(Math.max(0, Math.min(plies.length, ply))),
      label: "Win estimates through the game", xName: "ply", empty: "Shown from the first move of an agent on.",
    });
  }

  enableButtons() {
    const { state } = this;
    const hasAgents = state.seats.some((seat) => seat !== PERSON);
    const hasPersons = state.seats.includes(PERSON);
    const severalPlayers = state.game.players.length > 1;
    const agentsPlay = hasAgents && !state.is_over;
    const enabled = {
      undo: state.plies.length > 0 || state.resigned !== null,
      rotate: severalPlayers,
      resign: severalPlayers && hasPersons && !state.is_over,
      pause: agentsPlay,
      step: agentsPlay && this.isHalted(),
      now: agentsPlay && !state.persons_to_move.length && !this.isHalted(),
      sgf: state.game.has_sgf,
      link: positionLink(state, 0) !== null,
    };
    for (const button of $$("[data-action], [data-jump]")) button.disabled = !(enabled[button.dataset.action] ?? true);
    const pause = $("[data-action=pause]");
    pause.setAttribute("aria-pressed", String(this.isHalted()));
    pause.textContent = this.isHalted() ? "Continue" : "Pause";
  }

  // Actions.

  showsLastPly() { return this.state.shown_ply === this.state.plies.length; }

  // Agents do not move: the game is paused, or an earlier position is shown.
  isHalted() { return this.state.paused || !this.showsLastPly(); }

  play(move) {
    this.send("play", { move, player: this.state.persons_to_move[0], ply: this.state.shown_ply });
  }

  jump(target) {
    const { shown_ply: shownPly, plies } = this.state;
    const ply = { first: 0, back: shownPly - 1, forward: shownPly + 1, last: plies.length }[target];
    if (ply >= 0 && ply <= plies.length) this.goToPly(ply);
  }

  goToPly(ply) { this.send("go_to_ply", { ply }); }

  async copyLink() {
    const link = `${location.origin}/#${positionLink(this.state, this.state.shown_ply)}`;
    try {
      await navigator.clipboard.writeText(link);
      toast("The link to this position was copied to the clipboard.", "good");
    } catch { toast(link, "good"); }
  }
}
