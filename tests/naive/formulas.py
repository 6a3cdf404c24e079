"""The tree policies of the naive search: formulas, spelled out as in the papers.

`formula(node, reference, player, move)` is a move's value; None: try it first.
"""

from __future__ import annotations

import math

from tests.naive.nodes import amaf_of, mean_of


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
