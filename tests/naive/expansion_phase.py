"""Expansion in the naive search: nodes enter the tree, get their moves, and are recycled."""

from __future__ import annotations

import math

import numpy as np

from graven.core import contract
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL
from tests.naive.nodes import Node, TreeFullError


class Expansion:
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


def reachable(root, kept):
    """The nodes that can be reached from the root through those kept."""
    found, stack = {id(root): root}, [root]
    while stack:
        for child in stack.pop().children.values():
            if id(child) in kept and id(child) not in found:
                found[id(child)] = child
                stack.append(child)
    return list(found.values())
