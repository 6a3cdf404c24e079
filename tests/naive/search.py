"""A slow and obvious Monte Carlo tree search that the kernel must agree with, visit for visit.

Written from the papers: nodes are objects, every node has an AMAF table that every simulation
updates (Cazenave 2015, algorithm 1), formulas are spelled out. It shares the game's rule functions
and the random numbers with the kernel, and nothing else.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from graven.core import contract
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL
from graven.core.rng import below, draw, generator, uniform
from tests.naive.playouts import Choice, PoolRave, Uniform, codes_of
from tests.naive.regrets import NaiveRegrets
from tests.naive.score_bounds import REST, NaiveSolver, is_proven
from tests.naive.value_playouts import ValuePlayouts, draw_number

# How many threads are assumed to descend before another one at most.
MOST_AHEAD = 7


@dataclass
class Node:
    turn: int
    visits: int = 0
    moves: dict[int, list[int]] | None = None  # by player
    count: dict[tuple[int, int], int] = field(default_factory=dict)  # by (player, move)
    total: dict[tuple[int, int], float] = field(default_factory=dict)
    squares: dict[tuple[int, int], float] = field(default_factory=dict)
    prior: dict[tuple[int, int], float] = field(default_factory=dict)
    amaf_count: dict[tuple[int, int], int] = field(default_factory=dict)
    amaf_total: dict[tuple[int, int], float] = field(default_factory=dict)
    permuted_count: dict[tuple[int, int], int] = field(default_factory=dict)
    permuted_total: dict[tuple[int, int], float] = field(default_factory=dict)
    counted: int = 0  # simulations in the permutation statistics
    children: dict[tuple[int, ...], Node] = field(default_factory=dict)  # by joint move
    results: list[np.ndarray] = field(default_factory=list)  # the scores of its simulations
    bounds: list[list[float]] | None = None  # by player, see `score_bounds`
    proof_move: int | None = None
    skipped: set[int] = field(default_factory=set)
    resting: int | None = None
    last_use: int = 0  # the number of the last simulation through the node
    implicit: dict[tuple[int, int], float] = field(default_factory=dict)  # minimax values
    # At simultaneous moves with simultaneous=regret, by (player, move).
    regret: dict[tuple[int, int], float] = field(default_factory=dict)
    strategies: dict[tuple[int, int], float] = field(default_factory=dict)

    # At simultaneous moves: the children with bounds by joint move, and (player, move) skipped.
    table: dict[tuple[int, ...], Node] = field(default_factory=dict)
    dominated: set[tuple[int, int]] = field(default_factory=set)

    def is_open(self, mover, move):
        if self.turn == SIMULTANEOUS:
            return (mover, move) not in self.dominated
        rests = move == self.resting and self.visits % REST
        return move not in self.skipped and not rests


@dataclass
class Simulation:
    in_tree: int  # how many moves of the trace were chosen in the tree
    trace: list[tuple[int, int]]
    plies: list[list[Choice]]
    scores: np.ndarray
    odds: dict[int, dict[int, float]]  # at simultaneous moves, by place in the trace and player
    outcomes: dict[int, int] = field(default_factory=dict)  # of chance, by place on the path
    contained: frozenset[tuple[int, int]] = frozenset()
    depth: int = 0  # how many nodes it has visited
    leads_on: bool = False  # whether its last move in the tree leads to a node, visited or not
    is_terminal: bool = False  # whether the last of them is a finished game


class TreeFullError(Exception):
    """A node is to enter a tree that has `max_nodes`."""


class NaiveSearch:
    """`formula(node, reference, player, move)` is a move's value; None: try it first."""

    def __init__(
        self,
        game,
        formula,
        ref=None,
        expand=1,
        transpositions=True,
        fpu=math.inf,
        ties="random",
        offset=0.0,
        untried="fpu",
        amaf_count="first",
        amaf_moves="simulation",
        credit_creation=True,
        playout=None,
        batch_leaves=1,
        playouts_per_leaf=1,
        batch_growth=0,
        learn_after="playout",
        solver="on",
        prior_amaf=0.0,
        prior_bias=0.0,
        cutoff=math.inf,
        root="policy",
        root_amaf=0.0,
        simultaneous="decoupled",
        gamma=0.3,
        regret_min=50,
        decisive="off",
        amaf_weight="equal",
        amaf_off=0.0,
        widen=0.0,
        widen_growth=1.4,
        widen_first=1,
        implicit=0.0,
        max_nodes=0,
        full="recycle",
        tuning=None,
        criticality=0.0,
        inner=0,
    ):
        self.inner = inner
        self.criticality = criticality
        self.tuning = tuning  # a `NaiveTuning`
        self.decisive = decisive
        assert full == "recycle"
        self.max_nodes, self.uses, self.members = max_nodes, 0, []
        self.amaf_weight, self.amaf_off, self.implicit = amaf_weight, amaf_off, implicit
        self.widen, self.widen_growth, self.widen_first = widen, widen_growth, widen_first
        self.root_rule, self.root_amaf = root, root_amaf
        self.prior_amaf, self.prior_bias, self.cutoff = prior_amaf, prior_bias, cutoff
        self.regrets = NaiveRegrets(gamma, regret_min) if simultaneous == "regret" else None
        self.solver = None
        if solver == "on" and game.exact_key and not game.functions.tree_moves:
            self.solver = NaiveSolver(game.players)
        self.batch_leaves, self.playouts_per_leaf = batch_leaves, playouts_per_leaf
        self.batch_growth, self.learn_after = batch_growth, learn_after
        self.ties, self.offset, self.untried = ties, offset, untried
        self.amaf_count, self.amaf_moves = amaf_count, amaf_moves
        self.credit_creation = credit_creation
        self.playout = playout or Uniform()
        self.rules = game.rules
        self.formula = formula
        self.ref = ref
        self.expand = self.expand_at_first = expand
        self.transpositions = transpositions
        self.fpu = fpu
        self.nodes: dict[int, Node] = {}  # by position key
        self.log: list[Simulation] = []
        self.thread, self.brief = 0, False  # see `rounds`
        self.root = None

    def set_root(self, state):
        self.root_state = state.copy()
        if self.transpositions:
            self.root = self.at_key(self.root_state)
        else:
            self.root = self.new_node(self.root_state)

    def at_key(self, state):
        key = contract.key(self.rules, state)
        if key not in self.nodes:
            self.nodes[key] = self.new_node(state)
        return self.nodes[key]

    def new_node(self, state):
        if self.max_nodes and len(self.members) == self.max_nodes:
            raise TreeFullError
        node = Node(contract.turn(self.rules, state), last_use=self.uses)
        self.members.append(node)
        return node

    def recycle(self):
        """Forget nodes, those with the fewest playouts first, until a quarter is free."""
        playouts = self.playouts_of_members()
        worth = {id(node): (playouts[id(node)], node.last_use) for node in self.members}
        keep = len(self.members) * 3 // 4
        while True:
            assert keep > 0
            gone = sorted(worth.values(), reverse=True)[keep]
            kept = [node for node in self.members if worth[id(node)] > gone]
            if not any(node.turn == SIMULTANEOUS for node in self.members):
                kept = reachable(self.root, {id(node) for node in kept})
            for node in kept.copy():
                if node.turn >= 0:
                    kept += [child for child in node.children.values() if child.bounds]
                kept += [child for child in node.table.values() if child.bounds]
            kept = {id(node): node for node in kept}
            if len(kept) <= self.max_nodes * 3 // 4:
                break
            keep //= 2
        if not self.solver:
            self.expand = max(self.expand, gone[0] + 1)
        self.members = [node for node in self.members if id(node) in kept]
        self.nodes = {key: node for key, node in self.nodes.items() if id(node) in kept}
        for node in self.members:
            node.children = {move: c for move, c in node.children.items() if id(c) in kept}
            node.table = {joint: c for joint, c in node.table.items() if id(c) in kept}

    def playouts_of_members(self):
        """The playouts of the moves to each node; unknown if some were simultaneous."""
        playouts = {id(node): 0 for node in self.members}
        if not any(node.turn == SIMULTANEOUS for node in self.members):
            for node in self.members:
                for played, child in node.children.items():
                    playouts[id(child)] += node.count.get((node.turn, played[0]), 0)
        playouts[id(self.root)] = math.inf
        return playouts

    def run(self, seed, playouts):
        self.expand = self.expand_at_first
        self.rng = generator(seed)
        self.batches = []
        self.halving = self.sequential_halving(playouts if self.root_rule == "sh" else 0)
        self.simulate(playouts)

    def simulate(self, playouts):
        if self.inner:
            self.simulate_levels(playouts)
            return
        while playouts and not (self.solver and is_proven(self.root)):
            per_leaf, most = min(self.playouts_per_leaf, playouts), playouts
            if self.batch_growth:
                most = min(most, max(1, self.root.visits // self.batch_growth))
                per_leaf = min(per_leaf, max(1, most // self.batch_leaves))
            leaves = min(self.batch_leaves, most // per_leaf)
            playouts -= leaves * per_leaf
            self.batches.append((leaves, per_leaf))
            descents, self.pools = [], []
            for _ in range(leaves):
                descents.append(self.descend_with_space())
                self.path = [node for node, _, _ in descents[-1][0]]
                if isinstance(self.playout, PoolRave):
                    self.pools.append(self.pool_node(self.playout.least))
                self.count(descents[-1], 1)
            for descent in descents:
                self.count(descent, -1)
            if self.learn_after == "batch":
                self.play_by_values(descents, per_leaf)
                continue
            for descent in descents:
                for _ in range(per_leaf):
                    self.play_out(*descent)

    def simulate_levels(self, playouts):
        """A new node gets `inner` playouts in a search below it, whose nodes are forgotten."""
        while playouts:
            descent = self.descend()
            self.play_out(*descent)
            playouts -= 1
            leaf = descent[0][-1][0]
            if leaf.visits == 1 and leaf.turn != TERMINAL:
                first_level, self.nodes = self.nodes, {}
                for _ in range(min(self.inner - 1, playouts)):
                    self.play_out(*self.descend(descent))
                    playouts -= 1
                self.nodes = first_level
                leaf.children.clear()

    def play_by_values(self, descents, per_leaf):
        """All playouts of the batch from the same values; then learn from each, in order."""
        if hasattr(self.playout, "choose_in_batch"):
            self.play_by_choices(descents, per_leaf)
            return
        policy = ValuePlayouts(self.rules, *self.playout.value_policy(self.rules))
        played = policy.batch([state for _, state, _, _ in descents], per_leaf, self.rng)
        for number, (moves, scores) in enumerate(played):
            path, _, trace, plies = descents[number // per_leaf]
            playout = [[Choice(player, [move], [move], move, False)] for player, move in moves]
            self.finish(
                path,
                Simulation(len(trace), trace + moves, plies + playout, scores, odds_of(path)),
            )

    def play_by_choices(self, descents, per_leaf):
        """The same with a policy that chooses each move by what was played before."""
        streams = [int(draw(self.rng)) for _ in range(len(descents) * per_leaf)]
        played = []
        for number, stream in enumerate(streams):
            self.pool = self.pools[number // per_leaf] if self.pools else None
            played.append(self.chosen_playout(descents[number // per_leaf], stream))
        for number, simulation in enumerate(played):
            self.finish(descents[number // per_leaf][0], simulation)
        if hasattr(self.playout, "settle"):
            self.playout.settle()

    def chosen_playout(self, descent, stream):
        rules = self.rules
        path, state, trace, plies = descent
        state, in_tree, at = state.copy(), len(trace), 0
        trace, plies = trace.copy(), plies.copy()
        while (turn := contract.turn(rules, state)) != TERMINAL:
            joint, ply = np.full(rules.players, -1, np.int32), []
            for mover in range(rules.players) if turn == SIMULTANEOUS else [turn]:
                moves = sorted(self.sensible(state, mover))
                bits = draw_number(stream, at * rules.players + mover)
                joint[mover] = self.playout.choose_in_batch(self, mover, moves, plies, bits)
                trace.append((mover, int(joint[mover])))
                ply.append(Choice(mover, moves, moves, int(joint[mover]), False))
            plies.append(ply)
            contract.play(rules, state, joint)
            at += 1
        scores = np.zeros(rules.players)
        contract.scores(rules, state, scores)
        return Simulation(in_tree, trace, plies, scores, odds_of(path))

    def finish(self, path, simulation):
        """Learn from a simulation, count it, and keep it for those who want to know."""
        simulation.contained = frozenset(self.played_after(simulation.trace))
        node, at, _ = path[-1]
        last = tuple(move for _, move in simulation.trace[at : simulation.in_tree])
        simulation.depth = len(path)
        simulation.is_terminal = node.turn == TERMINAL
        if node.turn == CHANCE:
            last = (path[-1][2],)
        simulation.leads_on = node.turn != SIMULTANEOUS and last in node.children
        simulation.outcomes = {
            place: outcome
            for place, (node, _, outcome) in enumerate(path)
            if node.turn == CHANCE and outcome is not None
        }
        self.log.append(simulation)
        self.playout.learn(simulation.plies, simulation.scores)
        self.backup(path, simulation.trace, simulation.in_tree, simulation.scores)

    def count(self, descent, playouts):
        """Virtual losses: playouts on the way of a descent, without a score."""
        path, _, trace, _ = descent
        for node, at, outcome in path:
            node.visits += playouts
            for played in self.taken(node, at, outcome, trace):
                node.count[played] = node.count.get(played, 0) + playouts
                node.total.setdefault(played, 0.0)

    def taken(self, node, at, outcome, trace):
        """What was played at a node of a path: a move of each player to move, or an outcome."""
        if node.turn == CHANCE:
            return [] if outcome is None else [(CHANCE, outcome)]
        return trace[at : at + (self.rules.players if node.turn == SIMULTANEOUS else 1)]

    def outcomes(self, state):
        codes, chances = contract.new_moves(self.rules), np.zeros(self.rules.max_moves)
        count = contract.outcomes(self.rules, state, codes, chances)
        return {int(codes[i]): float(chances[i]) for i in range(count)}

    def draw(self, outcomes):
        threshold = uniform(self.rng)
        for outcome, probability in outcomes.items():
            threshold -= probability
            if threshold < 0:
                return outcome
        return outcome

    def play_outcome(self, state, outcome):
        joint = np.full(self.rules.players, -1, np.int32)
        joint[0] = outcome
        contract.play(self.rules, state, joint)

    def descend_with_space(self):
        """Descend; if the tree is full on the way, recycle nodes and begin again."""
        while True:
            before = self.rng.copy()
            try:
                return self.descend()
            except TreeFullError:
                self.rng[:] = before
                self.recycle()

    def descend(self, above=None):
        """Descend from the root, or from the end of the descent `above`."""
        rules, state = self.rules, self.root_state.copy()
        if self.tuning:
            self.tuning.choose(self.rng)
        node, reference = self.root, self.root
        path, trace, plies = [], [], []
        ahead = 0 if self.brief else min(self.thread, MOST_AHEAD)
        if above:
            path, state, trace, plies = (part.copy() for part in above)
            node = path.pop()[0]
            for passed, _, _ in path:
                reference = passed if passed.visits > self.ref else reference
        while True:
            path.append((node, len(trace), None))
            stopped = 0
            if node.turn == TERMINAL or (node.visits == 0 and self.credit_creation):
                if node.turn == TERMINAL or not ahead:
                    break
                stopped, ahead = 1, ahead - 1  # another thread plays from the new node
            movers = range(rules.players) if node.turn == SIMULTANEOUS else [node.turn]
            if self.tuning:
                self.tuning.set(self, max(node.turn, 0))
            if self.ref is not None and node.visits > self.ref:
                reference = node
            if node.moves is None:
                self.list_moves(node, state)
            if node.turn == CHANCE:
                outcome = self.draw(node.moves[CHANCE])
                path[-1] = (node, len(trace), outcome)
                ahead = 0  # other threads draw other outcomes
                self.play_outcome(state, outcome)
                if (child := self.child(node, state, (outcome,))) is None:
                    break
                node = child
                continue
            if getattr(self.formula, "permutations", False):
                self.count_permutations(node, trace)
            # A node without statistics stands for AMAF that is ignored.
            muted = self.amaf_off and uniform(self.rng) < self.amaf_off
            read = Node(reference.turn) if muted else reference
            joint = np.full(rules.players, -1, np.int32)
            plies.append([])
            if self.regrets and node.turn == SIMULTANEOUS:
                path[-1] = (node, len(trace), {})
            node.visits += stopped
            for mover in movers:
                if self.tuning:
                    self.tuning.set(self, mover)
                if path[-1][2] is not None and self.regrets.draws(node, mover):
                    joint[mover], path[-1][2][mover] = self.regrets.draw(node, mover, self.rng)
                else:
                    joint[mover] = self.select(node, read, mover)
                    if path[-1][2] is not None:
                        path[-1][2][mover] = 0.0
                if ahead:
                    move = int(joint[mover])
                    joint[mover], ahead = self.select_apart(node, read, mover, move, ahead)
                trace.append((mover, int(joint[mover])))
                plies[-1].append(self.choice(state, mover, node.moves[mover], joint[mover], True))
            node.visits -= stopped
            if self.solver and node.turn == SIMULTANEOUS:
                played = tuple(int(joint[mover]) for mover in movers)
                if deviation := self.solver.deviation(node, played, path[-1][2]):
                    mover, move = deviation
                    joint[mover] = move
                    trace[mover - rules.players] = mover, move
                    plies[-1][mover] = self.choice(state, mover, node.moves[mover], move, True)
            contract.play(rules, state, joint)
            played = tuple(int(joint[mover]) for mover in movers)
            if (child := self.child(node, state, played)) is None:
                break
            node = child
        return path, state, trace, plies

    def select_apart(self, node, reference, mover, move, ahead):
        """The move of this thread if so many before it come to the node, and take the best moves.

        Also returns how many of them take the same move.
        """
        if node.turn < 0 or (self.root_rule != "policy" and node is self.root):
            return move, 0
        taken = []
        for _ in range(ahead):
            taken.append((mover, move))
            self.lose(node, (mover, move), 1)
            move = self.select(node, reference, mover)
        for played in taken:
            self.lose(node, played, -1)
        return move, taken.count((mover, move))

    def lose(self, node, played, playouts):
        """Add virtual losses."""
        node.visits += playouts
        node.count[played] = node.count.get(played, 0) + playouts
        node.total.setdefault(played, 0.0)
        node.squares.setdefault(played, 0.0)

    def list_moves(self, node, state):
        if node.turn == CHANCE:
            node.moves = {CHANCE: self.outcomes(state)}
            return
        movers = range(self.rules.players) if node.turn == SIMULTANEOUS else [node.turn]
        node.moves = {mover: self.legal(state, mover) for mover in movers}
        self.set_priors(node, state)
        if self.widen:
            for mover, moves in node.moves.items():
                moves.sort(key=lambda m, mover=mover: -node.prior[mover, m])
        if self.implicit:
            self.evaluate_moves(node, state)

    def count_permutations(self, node, path):
        """Add the simulations since the last visit that contain the path, in any order."""
        for simulation in self.log[node.counted :]:
            contained = simulation.contained
            if set(path) <= contained:
                for mover, moves in node.moves.items():
                    for played in {(mover, move) for move in moves} & contained:
                        score = simulation.scores[mover]
                        node.permuted_count[played] = node.permuted_count.get(played, 0) + 1
                        node.permuted_total[played] = node.permuted_total.get(played, 0.0) + score
        node.counted = len(self.log)

    def forget_simulations(self, nodes):
        """For another root: nodes keep their permutation statistics, without the simulations."""
        self.log.clear()
        for node in nodes:
            node.counted = 0

    def child(self, node, state, played):
        """The node after a joint move or an outcome; None if it does not enter the tree yet."""
        if played not in node.children:
            tried = node.count.get((node.turn, played[0]), 0)
            if node.turn != SIMULTANEOUS and tried + 1 < self.expand:
                return None
            new = not self.transpositions or contract.key(self.rules, state) not in self.nodes
            known = self.at_key(state) if self.transpositions else self.new_node(state)
            node.children[played] = known
            if new and not self.credit_creation:
                return None
        return node.children[played]

    def set_priors(self, node, state):
        for mover, moves in node.moves.items():
            for move in moves:
                prior = np.full(1, 0.5)
                if self.rules.prior:
                    codes = np.array([move], np.int32)
                    contract.priors(self.rules, state, mover, codes, 1, prior)
                node.prior[mover, move] = float(prior[0])

    def evaluate_moves(self, node, state):
        """What the game says of the positions after a node's moves, for the player to move."""
        mover, scores = node.turn, np.zeros(2)
        for move in node.moves[mover]:
            after, joint = state.copy(), np.full(2, -1, np.int32)
            joint[mover] = move
            contract.play(self.rules, after, joint)
            over = contract.turn(self.rules, after) == TERMINAL
            (contract.scores if over else contract.evaluate)(self.rules, after, scores)
            node.implicit[mover, move] = float(scores[mover] + 1.0 - scores[1 - mover]) / 2.0

    def update_minimax(self, path, trace, in_tree):
        for node, at, _ in reversed(path):
            if node.turn >= 0 and at < in_tree:
                child = node.children.get((trace[at][1],))
                if child is not None and child.implicit:
                    best = max(child.implicit.values())
                    node.implicit[trace[at]] = best if child.turn == node.turn else 1.0 - best

    def play_out(self, path, state, trace, plies):
        rules = self.rules
        state, trace, plies = state.copy(), trace.copy(), plies.copy()
        in_tree = len(trace)
        self.path = [node for node, _, _ in path]
        played, scores = 0, np.zeros(rules.players)
        while (turn := contract.turn(rules, state)) != TERMINAL and played < self.cutoff:
            played += 1
            if turn == CHANCE:
                self.play_outcome(state, self.draw(self.outcomes(state)))
                continue
            joint = np.full(rules.players, -1, np.int32)
            ply = []
            for mover in range(rules.players) if turn == SIMULTANEOUS else [turn]:
                moves = self.sensible(state, mover)
                forced = self.decisive_move(state, turn)
                if forced >= 0:
                    moves = [forced]  # one legal move: nothing is chosen
                codes = codes_of(rules, state, mover, moves, self.playout.features)
                joint[mover] = forced
                if self.tuning:
                    self.tuning.set(self, mover)
                if forced < 0:
                    joint[mover] = self.playout.choose(self, state, mover, moves, codes, plies)
                trace.append((mover, int(joint[mover])))
                ply.append(Choice(mover, moves, codes, int(joint[mover]), False))
            plies.append(ply)
            contract.play(rules, state, joint)
        (contract.scores if turn == TERMINAL else contract.evaluate)(rules, state, scores)
        self.finish(path, Simulation(in_tree, trace, plies, scores, odds_of(path)))

    def decisive_move(self, state, turn):
        """A move that wins at once, or prevents the opponent's; which of several the game says."""
        if self.decisive == "off" or turn < 0:
            return -1
        move = contract.winning_move(self.rules, state, turn)
        wins = [won for won in self.legal(state, turn) if self.wins(state, turn, won)]
        assert move in wins if wins else move == -1
        if move < 0 and self.decisive == "defend":
            threat = contract.winning_move(self.rules, state, 1 - turn)
            if threat >= 0:
                scratch = contract.new_moves(self.rules)
                move = contract.defence(self.rules, state, turn, threat, scratch, self.rng)
        return move

    def wins(self, state, mover, move):
        after, scores = state.copy(), np.zeros(self.rules.players)
        joint = np.full(self.rules.players, -1, np.int32)
        joint[mover] = move
        contract.play(self.rules, after, joint)
        if contract.turn(self.rules, after) != TERMINAL:
            return False
        contract.scores(self.rules, after, scores)
        return scores[mover] == 1.0

    def backup(self, path, trace, in_tree, scores):
        counted_from = in_tree if self.amaf_moves == "playout" else 0
        for node, at, outcome in path:
            node.visits += 1
            taken = self.taken(node, at, outcome, trace[:in_tree])
            if self.regrets and node.turn == SIMULTANEOUS:
                joint = tuple(move for _, move in taken)
                for player, _ in taken:
                    self.regrets.add(node, joint, player, scores[player], outcome[player])
            for played in taken:
                score = scores[max(played[0], 0)]
                node.count[played] = node.count.get(played, 0) + 1
                node.total[played] = node.total.get(played, 0.0) + score
                node.squares[played] = node.squares.get(played, 0.0) + score * score
            counted = trace[max(at, counted_from) :]
            node.results.append(scores.copy())
            for played, weight in self.weighted(counted):
                score = weight * scores[played[0]]
                node.amaf_count[played] = node.amaf_count.get(played, 0) + weight
                node.amaf_total[played] = node.amaf_total.get(played, 0.0) + score
        if self.solver:
            self.solver.update(path, trace, scores)
        if self.implicit:
            self.update_minimax(path, trace, in_tree)
        if self.tuning:
            self.tuning.reward(scores)
        self.uses += 1
        for node, _, _ in path:
            node.last_use = self.uses

    def weighted(self, trace):
        """What AMAF counts of a trace, with weights."""
        if self.amaf_weight == "equal":
            return [(played, 1) for played in self.played_after(trace)]
        weights = [math.floor(256 * (1 - Fraction(d, len(trace)))) / 128 for d in range(len(trace))]
        if self.amaf_count == "all":
            return zip(trace, weights, strict=True)
        return [(played, weights[trace.index(played)]) for played in self.played_after(trace)]

    def played_after(self, trace):
        """What AMAF counts: every move once; of a place only the move that took it first.

        With amaf_count=player every move of every player once, with all every time.
        """
        if self.amaf_count == "all":
            return trace
        if not self.rules.shared_points or self.amaf_count == "player":
            return set(trace)
        first = {}
        for mover, move in trace:
            first.setdefault(move, (mover, move))
        return set(first.values())

    def sensible(self, state, mover):
        moves = contract.new_moves(self.rules)
        return [int(m) for m in moves[: contract.playout_moves(self.rules, state, mover, moves)]]

    def choice(self, state, mover, moves, move, in_tree):
        codes = codes_of(self.rules, state, mover, moves, self.playout.features)
        return Choice(mover, moves, codes, int(move), in_tree)

    def pool_node(self, least):
        """The last node of the path, not counting its end, with at least so many playouts."""
        found = None
        for node in self.path:
            if node.turn != TERMINAL and node.visits >= least:
                found = node
        return found

    def legal(self, state, mover):
        moves = contract.new_moves(self.rules)
        return [int(m) for m in moves[: contract.tree_moves(self.rules, state, mover, moves)]]

    def sequential_halving(self, budget):
        """Yield the root's moves in the order in which they get playouts."""
        root = self.root
        while True:
            mover = root.turn
            arms = [move for move in root.moves[mover] if move not in root.skipped]
            field, rounds = len(arms), math.ceil(math.log2(len(arms)))
            while True:
                share = field // len(arms)
                if budget:
                    share = max(1, (budget - 1) // (len(arms) * max(1, rounds)))
                if len(arms) == 1 and (budget or field == 1):
                    share = math.inf
                elif len(arms) == 1:
                    break
                targets = {arm: root.count.get((mover, arm), 0) + share for arm in arms}
                for arm in arms:
                    while root.count.get((mover, arm), 0) < targets[arm]:
                        if arm in root.skipped:
                            break
                        yield arm
                if len(arms) == 1:
                    break
                arms.sort(key=lambda arm: -self.arm_value((mover, arm)))
                arms = arms[: (len(arms) + 1) // 2]

    def arm_value(self, played):
        n, mean = mean_of(self.root, played)
        pa, amaf = amaf_of(self.root, played)
        return 0.0 if n == 0 else mean + (self.root_amaf * amaf / n if pa else 0.0)

    def select(self, node, reference, mover):
        values = []
        if self.root_rule != "policy" and node is self.root and node.turn >= 0:
            return next(self.halving)
        if self.criticality:
            reference = self.with_criticality(node, reference, mover)
        if self.prior_amaf:
            reference = self.with_prior_playouts(node, reference)
        moves = [move for move in node.moves[mover] if node.is_open(mover, move)]
        if self.widen:
            moves = moves[: self.width(node.visits)]
        blended = self.with_minimax(node) if self.implicit else node
        for move in moves:
            value = self.formula(blended, reference, mover, move)
            tried = node.count.get((mover, move), 0)
            if self.untried == "amaf" and tried == 0:
                pa, amaf = amaf_of(reference, (mover, move))
                value = amaf + 1.0 if pa else None
            bias = self.prior_bias * node.prior[mover, move]
            values.append((self.fpu if value is None else value) + bias / (tried + 1.0))
        least = max(values) - self.offset
        best = [move for move, value in zip(moves, values, strict=True) if value >= least]
        if self.ties == "first":
            return min(best)
        return best[below(self.rng, len(best))] if len(best) > 1 else best[0]

    def width(self, visits):
        """Coulom 2007: the next move after 40 playouts, each step 1.4 times as long as the last."""
        needed, count = 0.0, self.widen_first
        while True:
            needed += self.widen * self.widen_growth ** (count - self.widen_first)
            if needed > visits or count == self.rules.max_moves:
                return count
            count += 1

    def with_minimax(self, node):
        """The node with scores that are blended with the minimax values of its moves."""
        blended = copy(node)
        blended.total = {
            played: (1.0 - self.implicit) * total
            + self.implicit * node.implicit[played] * float(node.count[played])
            for played, total in node.total.items()
        }
        return blended

    def with_criticality(self, node, reference, mover):
        """AMAF statistics with won playouts: the more, the more a move decides who wins."""
        read = Node(reference.turn, amaf_count=dict(reference.amaf_count))
        read.amaf_total = dict(reference.amaf_total)
        results = [scores[mover] for scores in reference.results]
        mean = sum(results) / max(1, len(results))
        for played in {(mover, move) for move in node.moves[mover]} & read.amaf_count.keys():
            pa = read.amaf_count[played]
            covariance = max(0.0, read.amaf_total[played] - mean * pa) / max(1, len(results))
            won = self.criticality * covariance * pa
            read.amaf_count[played] = pa + won
            read.amaf_total[played] += won
        return read

    def with_prior_playouts(self, node, reference):
        """AMAF statistics with `prior_amaf` playouts more of each move, of the mean `prior`."""
        read = Node(reference.turn, amaf_count={}, amaf_total={})
        for played, prior in node.prior.items():
            read.amaf_count[played] = reference.amaf_count.get(played, 0) + self.prior_amaf
            total = reference.amaf_total.get(played, 0.0)
            read.amaf_total[played] = total + self.prior_amaf * prior
        return read


def reachable(root, kept):
    """The nodes that can be reached from the root through those kept."""
    found, stack = {id(root): root}, [root]
    while stack:
        for child in stack.pop().children.values():
            if id(child) in kept and id(child) not in found:
                found[id(child)] = child
                stack.append(child)
    return list(found.values())


def odds_of(path):
    return {at: odds for node, at, odds in path if node.turn == SIMULTANEOUS}


def mean_of(node, played):
    n = node.count.get(played, 0)
    return n, (node.total[played] / n if n else None)


def amaf_of(reference, played):
    pa = reference.amaf_count.get(played, 0)
    return pa, (reference.amaf_total[played] / pa if pa else None)


def bound(c, node, n):
    return c * math.sqrt(math.log(node.visits) / n)


def uct(c):
    def value(node, reference, mover, move):
        n, mean = mean_of(node, (mover, move))
        return None if n == 0 else mean + bound(c, node, n)

    return value


def ucb1_tuned(c):
    """Auer, Cesa-Bianchi and Fischer 2002, section 4, as printed."""

    def value(node, reference, mover, move):
        n, mean = mean_of(node, (mover, move))
        if n == 0:
            return None
        spread = math.log(node.visits) / n
        v = node.squares[mover, move] / n - mean * mean + math.sqrt(2.0 * spread)
        return mean + c * math.sqrt(spread * min(0.25, v))

    return value


def puct(c, unknown=0.5):
    """Silver et al. 2017; the priors of a node's moves are made probabilities."""

    def value(node, reference, mover, move):
        n, mean = mean_of(node, (mover, move))
        total = 0.0
        for each in node.moves[mover]:
            total += node.prior[mover, each] if node.is_open(mover, each) else 0.0
        share = node.prior[mover, move] / total
        u = c * share * math.sqrt(node.visits) / (1.0 + n)
        return (unknown if n == 0 else mean) + u

    return value


def history(c, w):
    """Progressive History as printed; `reference` is the root."""

    def value(node, reference, mover, move):
        n, mean = mean_of(node, (mover, move))
        if n == 0:
            return None
        _, known = amaf_of(reference, (mover, move))
        return mean + bound(c, node, n) + (known or 0.0) * w / ((1.0 - mean) * n + 1.0)

    return value


def blended(beta, c):
    """(1 - beta) * mean + beta * AMAF + UCB, with beta(node, played, n, pa, ...)."""

    def value(node, reference, mover, move):
        played = (mover, move)
        n, mean = mean_of(node, played)
        pa, amaf = amaf_of(reference, played)
        if n == 0:
            return amaf if pa and c == 0 else None
        weight = beta(node, reference, played, n, pa) if pa else 0.0
        blend = (1.0 - weight) * mean + weight * (amaf if pa else 0.0)
        return blend + bound(c, node, n) if c else blend

    return value


def textbook_bias(bias, c=0.0):
    """Cazenave 2015, section 2, as printed."""
    return blended(lambda node, ref, played, n, pa: pa / (pa + n + bias * pa * n), c)


def bias(bias, c=0.0):
    """The same as one fraction: equal but for rounding, which decides ties (see its test)."""

    def value(node, reference, mover, move):
        played = (mover, move)
        n, pa = float(node.count.get(played, 0)), float(reference.amaf_count.get(played, 0))
        if n + pa == 0 or (c and n == 0):
            return None
        weighted = bias * pa
        total, amaf_total = node.total.get(played, 0.0), reference.amaf_total.get(played, 0.0)
        blend = ((1.0 + weighted) * total + amaf_total) / (pa + n + weighted * n)
        return blend + bound(c, node, n) if c else blend

    return value


def mcps():
    """Every estimate with the weight of its playouts."""

    def value(node, reference, mover, move):
        played = (mover, move)
        counts = (node.count, reference.amaf_count, node.permuted_count)
        totals = (node.total, reference.amaf_total, node.permuted_total)
        playouts = sum(count.get(played, 0) for count in counts)
        return sum(total.get(played, 0.0) for total in totals) / playouts if playouts else None

    value.permutations = True
    return value


def hand_k(k, c):
    return blended(lambda node, ref, played, n, pa: math.sqrt(k / (3.0 * node.visits + k)), c)


def variance(total, n):
    p = (total + 1.0) / (n + 2.0)
    return p * (1.0 - p)


def gelly(b, c=0.0):
    def beta(node, reference, played, n, pa):
        v_m = variance(node.total[played], n) / n
        v_r = variance(reference.amaf_total[played], pa) / pa
        return v_m / (v_m + v_r + b * b)

    return blended(beta, c)


def orego2(c=0.0):
    def beta(node, reference, played, n, pa):
        single = variance(node.total[played], n)
        cov, v_m = single / pa, single / n
        v_r = variance(reference.amaf_total[played], pa) / pa
        spread = v_m + v_r - 2.0 * cov
        return min(1.0, max(0.0, (v_m - cov) / spread)) if spread > 0 else 0.0

    return blended(beta, c)


def additive(alpha, k, c):
    def value(node, reference, mover, move):
        n, mean = mean_of(node, (mover, move))
        pa, amaf = amaf_of(reference, (mover, move))
        weight = alpha * math.sqrt(k / (3.0 * node.visits + k))
        if n == 0:
            return amaf + weight * amaf if pa and c == 0 else None
        return mean + weight * (amaf if pa else 0.0) + bound(c, node, n)

    return value
