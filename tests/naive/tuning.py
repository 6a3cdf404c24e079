"""Slow and obvious bandits over parameter values: see `graven.search.self_tuning`."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations

from graven.core.rng import below, uniform

EXPLORE, C, CAUTION, PRIOR, NEIGHBOURS = 0.1, 0.2, 0.2, 100, 5


class NaiveTuning:
    """`values` are those tried, by parameter, `usual` is one of each.

    `use(search, setting)` makes a search use a setting.
    """

    def __init__(self, players, values, usual, use, tuner="naive"):
        self.values, self.usual, self.use, self.tuner = values, usual, use, tuner
        self.current = [usual] * players
        self.chosen = [dict(each) for each in self.current]
        # By player and some parameters with their values: the rewards.
        self.rewards = [defaultdict(list) for _ in range(players)]
        self.scores = [[] for _ in range(players)]

    def new_search(self):
        self.scores = [[] for _ in self.scores]

    def parts(self, setting):
        """Single values, pairs of values with the n-tuple bandit, and the whole setting."""
        items = list(setting.items())
        parts = [(item,) for item in items]
        if self.tuner == "ntuple":
            parts += combinations(items, 2)
        return list(dict.fromkeys([*parts, tuple(items)]))

    def reward(self, scores):
        for player, score in enumerate(scores):
            before = self.scores[player]
            advantage = score - (sum(before) / len(before) if before else 0.5)
            for part in self.parts(self.chosen[player]):
                self.rewards[player][part].append(advantage)
            before.append(score)
            self.current[player] = self.chosen[player]

    def set(self, search, player):
        self.use(search, self.chosen[player])

    def choose(self, rng):
        for player, rewards in enumerate(self.rewards):
            first = next(iter(self.values))
            simulations = sum(len(rewards[((first, value),)]) for value in self.values[first])
            choose = self.ntuple if self.tuner == "ntuple" else self.naive
            self.chosen[player] = choose(player, rewards, simulations, rng)

    def naive(self, player, rewards, simulations, rng):
        log = math.log(simulations) if simulations else 0.0

        def upper(part):
            n = len(rewards[part])
            return sum(rewards[part]) / n + C * math.sqrt(log / n)

        def lower(setting):
            part = tuple(setting.items())
            n = len(rewards[part]) + (PRIOR if setting == self.usual else 0)
            return sum(rewards[part]) / n - CAUTION * math.sqrt(log / n)

        if uniform(rng) < EXPLORE:
            setting = {}
            for name, values in self.values.items():
                untried = [value for value in values if not rewards[((name, value),)]]
                setting[name] = untried[0] if untried else self.best(name, upper)
            return setting
        tried = [setting for setting in self.every_setting() if rewards[tuple(setting.items())]]
        return max([self.usual, *tried], key=lower)

    def best(self, name, bound):
        return max(self.values[name], key=lambda value: bound(((name, value),)))

    def every_setting(self):
        settings = [{}]
        for name, values in self.values.items():
            settings = [{**setting, name: value} for setting in settings for value in values]
        return settings

    def ntuple(self, player, rewards, simulations, rng):
        log = math.log(simulations) if simulations else 0.0

        def value(setting):
            total, parts = 0.0, self.parts(setting)
            for part in parts:
                n = len(rewards[part])
                mean = sum(rewards[part]) / n if n else 0.0
                total += mean + C * math.sqrt(log / (n + 0.5))
            return total / len(parts)

        best = current = self.current[player]
        names = list(self.values)
        for _ in range(NEIGHBOURS):
            moved, neighbour = names[below(rng, len(names))], dict(current)
            for name, values in self.values.items():
                if name == moved or uniform(rng) * len(names) < 1.0:
                    others = [value for value in values if value != current[name]]
                    neighbour[name] = others[below(rng, len(others))]
            if value(neighbour) > value(best):
                best = neighbour
        return best
