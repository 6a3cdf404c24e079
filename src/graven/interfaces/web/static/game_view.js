// The play view: board, seats, status, moves, win estimates and the buttons of the game.

import { $, $$, announce, formatNumber, formatPercent, h, toast } from "./dom.js";
import { Board } from "./board.js";
import { chart, evaluationSeries } from "./chart.js";
import { playerClass } from "./colours.js";
import { positionLink } from "./links.js";

const MAX_MOVE_BUTTONS = 300, MAX_SUGGESTED_MOVES = 500;
const PERSON = "person";

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
      resign: () => send("resign"),
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
    $("#game-title").textContent = state.game.spec;
    document.title = `${state.game.name} · graven`;
    this.board.show({ svg: state.svg, text: state.text, label: this.boardLabel(), players: state.game.players, moves,
      oneClick: state.game.one_click, lastCells: state.shown_ply ? state.plies[state.shown_ply - 1].cells : [] });
    if (previous && previous.plies.length < state.plies.length) this.announceLastMove();
    this.drawSeats();
    this.drawOtherMoves(moves);
    this.showStatus();
    $("#status").dataset.over = String(state.is_over);
    this.drawMoveList();
    this.drawGraph(search);
    this.enableButtons();
  }

  // Texts.

  boardLabel() { return `${this.state.game.name}. ${this.statusText()}`; }

  showStatus(suffix = "") { $("#status").textContent = `${this.statusText()}${suffix}`; }

  statusText() {
    const { state } = this, { game, points } = state;
    if (!this.showsLastPly()) return `Looking back: after ${state.shown_ply} of ${state.plies.length} moves.`;
    if (state.is_over) return this.resultText();
    if (state.persons_to_move.length) {
      const soFar = points === null ? "" : ` ${formatNumber(points)} points so far.`;
      return `${game.players[state.persons_to_move[0]]} to move: your turn.${soFar}`;
    }
    if (state.paused) return "Paused.";
    return `${this.playerNames(state.players_to_move)} to move…`;
  }

  resultText() {
    const { game, scores, points, resigned } = this.state;
    if (game.players.length === 1) {
      return `The game is over: ${points === null ? `${formatPercent(scores[0])} %` : `${formatNumber(points)} points`}.`;
    }
    const best = Math.max(...scores);
    const winners = game.players.filter((_, player) => scores[player] === best);
    const resignation = resigned === null ? "" : `${game.players[resigned]} resigned. `;
    if (winners.length === 1) return `${resignation}${winners[0]} wins.`;
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
        h("strong", {}, name), h("span", { class: "who" }, seats[player] === PERSON ? "you" : seats[player]),
        scores ? h("span", { class: "score" }, `${formatPercent(scores[player], 0)} %`) : null);
    }));
  }

  stone(player) {
    return h("span", { class: `stone ${playerClass(this.state.game.players, player)}`, "aria-hidden": "true" });
  }

  // Buttons for moves that name no cell, and an input field for any move.
  drawOtherMoves(moves) {
    const host = $("#other-moves");
    if (!moves.length) { host.replaceChildren(); return; }
    const withoutCells = this.state.svg ? moves.filter((move) => !move[1].length) : moves;
    const buttons = withoutCells.slice(0, MAX_MOVE_BUTTONS).map(([move]) =>
      h("button", { type: "button", onclick: () => this.play(move) }, move));
    const input = h("input", { placeholder: "or type a move", "aria-label": "Type a move", list: "legal-moves",
      autocomplete: "off", spellcheck: "false" });
    const onsubmit = (event) => {
      event.preventDefault();
      if (input.value.trim()) this.play(input.value.trim());
      input.value = "";
    };
    host.replaceChildren(...buttons, h("form", { class: "row", onsubmit }, input,
      h("datalist", { id: "legal-moves" }, moves.slice(0, MAX_SUGGESTED_MOVES).map(([move]) => h("option", { value: move })))));
  }

  drawMoveList() {
    const { plies, shown_ply: shownPly } = this.state;
    const list = $("#move-list");
    list.replaceChildren(...plies.map((ply, i) => {
      const isShown = i + 1 === shownPly;
      return h("li", {}, h("button", { type: "button", class: isShown ? "here" : "", "aria-current": isShown ? "step" : undefined,
        onclick: () => this.goToPly(i + 1) },
      this.stone(ply.players[0]), ply.move,
      ply.evaluation ? h("small", {}, ` ${Math.round(100 * ply.evaluation.value)}%`) : null));
    }));
    if (!plies.length) list.append(h("li", { class: "hint" }, "No moves yet."));
    const current = $(".here", list);
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

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
      now: agentsPlay && !state.persons_to_move.length,
      sgf: state.game.has_sgf,
      link: positionLink(state, 0) !== null,
    };
    for (const [name, isEnabled] of Object.entries(enabled)) $(`[data-action=${name}]`).disabled = !isEnabled;
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
