"""A slow and obvious Monte Carlo tree search that the kernel must agree with, visit for visit.

Written from the papers: nodes are objects, every node has an AMAF table that every simulation
updates (Cazenave 2015, algorithm 1), formulas are spelled out. It shares the game's rule functions
and the random numbers with the kernel, and nothing else.

This module has the options, the loops over simulations, descents and playouts. The other parts are
in modules of their own: `nodes.py`, `formulas.py` (tree policies), `selection_phase.py`,
`expansion_phase.py`, `backup_phase.py`, `playouts.py` (playout policies), `rule_calls.py`.
"""

from __future__ import annotations

import math

import numpy as np

from graven.core import contract
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL
from graven.core.rng import draw, generator, uniform
from tests.naive.backup_phase import Backup
from tests.naive.expansion_phase import Expansion
from tests.naive.nodes import Node, Simulation, TreeFullError, odds_of
from tests.naive.playouts import Choice, PoolRave, Uniform, codes_of
from tests.naive.regrets import NaiveRegrets
from tests.naive.rule_calls import RuleCalls
from tests.naive.score_bounds import NaiveSolver, is_proven
from tests.naive.selection_phase import Selection
from tests.naive.value_playouts import ValuePlayouts, draw_number

# How many threads are assumed to descend before another one at most.
MOST_AHEAD = 7


class NaiveSearch(Expansion, Selection, Backup, RuleCalls):
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
        self.inner, self.leaf_depth = inner, 0
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

    def run(self, seed, playouts):
        self.expand = self.expand_at_first
        self.rng = generator(seed)
        self.batches = []
        self.halving = self.sequential_halving(playouts if self.root_rule == "sh" else 0)
        self.simulate(playouts)

    def simulate(self, playouts):
        while self.inner and playouts:
            playouts -= self.simulate_level(playouts)
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

    def simulate_level(self, most):
        """Simulate, at most `most` times; return how often.

        A new node gets `inner` playouts in a search below it, whose nodes are forgotten.
        """
        descent = self.descend()
        self.play_out(*descent)
        leaf, at, outcome = descent[0][-1]
        if leaf.visits > 1 or leaf.turn == TERMINAL or self.taken(leaf, at, outcome, descent[2]):
            return 1  # it adds no node, or ends below one that it has passed
        playouts = min(self.inner, most)
        first_level, self.nodes = self.nodes, {}
        self.leaf_depth = len(descent[0])
        for _ in range(playouts - 1):
            self.play_out(*self.descend(descent))
        self.nodes, self.leaf_depth = first_level, 0
        leaf.children.clear()
        return playouts

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
        if self.leaf_depth:
            # What is below the leaf of a second level is forgotten.
            simulation.depth, simulation.leads_on = self.leaf_depth, False
            simulation.is_terminal = False
            leaf, at, _ = path[self.leaf_depth - 1]
            if leaf.implicit:
                simulation.value = leaf.implicit[simulation.trace[at]]

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
        ahead = 0 if self.brief or above else min(self.thread, MOST_AHEAD)
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

    def pool_node(self, least):
        """The last node of the path, not counting its end, with at least so many playouts."""
        found = None
        for node in self.path:
            if node.turn != TERMINAL and node.visits >= least:
                found = node
        return found
