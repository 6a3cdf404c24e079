// The replay panel: a recorded game, move by move, with its evaluations.

import { Board } from "./board.js";
import { chart, evaluationSeries } from "./chart.js";
import { playerStyle } from "./colours.js";
import { fetchJson } from "./connection.js";
import { formatPercent, h, specText } from "./dom.js";
import { drawMoves } from "./move_list.js";

export class ReplayPanel {
  constructor(host) {
    this.host = host;
    host.append(h("p", { class: "hint" }, "Choose a match, then one of its games."));
  }

  async show(game) {
    this.game = game;
    const frame = h("div", { class: "board-frame" });
    this.board = new Board(frame);
    this.slider = h("input", { type: "range", min: "0", max: String(game.moves.length), value: "0", "aria-label": "Ply",
      oninput: () => this.goToPly(Number(this.slider.value)) });
    this.graph = h("div", { class: "chart" });
    this.moveList = h("ol", { class: "move-list", tabindex: "0", "aria-label": "Moves" });
    this.status = h("p", { class: "status", role: "status" });
    const button = (name, symbol, target) => h("button", { type: "button", "aria-label": name, onclick: () => this.goToPly(target()) }, symbol);
    this.host.replaceChildren(h("div", { class: "replay" },
      h("div", {}, frame, this.status, h("div", { class: "row" },
        button("First", "«", () => 0), button("Back", "‹", () => this.ply - 1), this.slider,
        button("Forward", "›", () => this.ply + 1), button("Last", "»", () => game.moves.length))),
      h("div", {}, h("section", { class: "card" },
        h("h2", {}, `${game.title}, game ${game.number + 1}`), h("p", { class: "game-spec" }, specText(game.game)),
        h("ul", { class: "plain-list" }, game.players.map((name, player) => h("li", {},
          h("span", { class: "stone", style: playerStyle(game.colours, player) }), " ", h("strong", {}, name), " ",
          specText(game.seats[player]), ` ${formatPercent(game.scores[player], 0)} %`))),
        h("p", { class: "hint" }, game.budget, " a move")),
      h("section", { class: "card" }, h("h2", {}, "Evaluations"), this.graph),
      h("section", { class: "card" }, h("h2", {}, "Moves"), this.moveList))));
    await this.goToPly(game.moves.length);
  }

  async goToPly(requested) {
    const game = this.game;
    const ply = Math.max(0, Math.min(game.moves.length, requested));
    this.ply = ply;
    this.slider.value = String(ply);
    this.status.textContent = this.statusText();
    const plies = game.moves.map((move, i) => ({ move, players: game.players_to_move[i], evaluation: null }));
    drawMoves(this.moveList, plies, { shownPly: ply, colours: game.colours, onPick: (picked) => this.goToPly(picked) });
    const evaluations = game.values.map((value, i) => (value === null ? null : { player: game.players_to_move[i][0], value }));
    chart(this.graph, { series: evaluationSeries(game.players, evaluations), xHigh: game.moves.length, cursor: ply, middle: 0.5,
      onPick: (picked) => this.goToPly(picked), label: "Win estimates through the game", xName: "ply",
      empty: "No evaluations were recorded for this game." });
    const position = await fetchJson("/api/lab/position", { match: game.match, number: game.number, ply });
    if (position.ply !== this.ply || this.game !== game) return; // the user went on meanwhile
    this.board.show({ svg: position.svg, text: position.text, lastCells: position.cells, colours: game.colours, label: `Position after ${ply} moves` });
  }

  statusText() {
    const { game, ply } = this;
    if (ply === 0) return "The start.";
    const value = game.values[ply - 1];
    const estimate = value === null || value === undefined ? "" : `, win estimate of its player ${formatPercent(value)} %`;
    return `Move ${ply} of ${game.moves.length}: ${game.moves[ply - 1]}${estimate}`;
  }
}
