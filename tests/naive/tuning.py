"""Slow and obvious bandits over parameter values: see `graven.search.self_tuning`."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations

from graven.core.rng import below, uniform

EXPLORE, C, NEIGHBOURS = 0.25, 0.2, 5


class NaiveTuning:
    """`values` are those tried, by parameter; `use(search, setting)` makes a search use them."""

    def __init__(self, players, values, use, tuner="naive"):
        self.values, self.use, self.tuner = values, use, tuner
        middle = {name: tried[len(tried) // 2] for name, tried in values.items()}
        self.current = [middle] * players
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
        def bound(part):
            n = len(rewards[part])
            return sum(rewards[part]) / n + C * math.sqrt(math.log(simulations) / n)

        if uniform(rng) < EXPLORE or simulations == 0:
            setting = {}
            for name, values in self.values.items():
                untried = [value for value in values if not rewards[((name, value),)]]
                setting[name] = untried[0] if untried else self.best(name, bound)
            return setting
        tried = [setting for setting in self.every_setting() if rewards[tuple(setting.items())]]
        return max(tried, key=lambda setting: bound(tuple(setting.items())))

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
