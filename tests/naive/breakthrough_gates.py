"""Breakthrough as a list of gates written by hand."""

from __future__ import annotations

from tests.naive.networks import AND, BASE, MOVE, NEVER, NOT, OR, GateList


def breakthrough(size: int = 8) -> GateList:
    kinds: list[int] = []
    inputs: list[list[int]] = []

    def gate(kind, *sources):
        kinds.append(kind)
        inputs.append(list(sources))
        return len(kinds) - 1

    def several(kind, sources):
        return sources[0] if len(sources) == 1 else gate(kind, *sources)

    cells = [(x, y) for y in range(size) for x in range(size)]
    roles = ("white", "black")
    texts, cell = [], {}
    for role in range(2):
        for x, y in cells:
            cell[role, x, y] = gate(BASE)
            texts.append(f"( cell {x + 1} {y + 1} {roles[role]} )")
    control = [gate(BASE), gate(BASE)]
    texts += [f"( control {role} )" for role in roles]
    init = [y < 2 for x, y in cells] + [y >= size - 2 for x, y in cells] + [True, False]

    moves, does, ways = ([], []), ([], []), ([], [])
    for role, ahead in ((0, 1), (1, -1)):
        for x, y in cells:
            for step in (-1, 0, 1):
                to = (x + step, y + ahead)
                if to in cells:
                    moves[role].append(f"( move {x + 1} {y + 1} {to[0] + 1} {to[1] + 1} )")
                    ways[role].append(((x, y), to))
                    does[role].append(gate(MOVE))
        moves[role].append("noop")
        does[role].append(NEVER)
    no = {key: gate(NOT, unit) for key, unit in cell.items()}
    legal = ([], [])
    for role in range(2):
        for start, to in ways[role]:
            needs = [control[role], cell[(role, *start)], no[(role, *to)]]
            if start[0] == to[0]:
                needs.append(no[(1 - role, *to)])
            legal[role].append(gate(AND, *needs))
        legal[role].append(control[1 - role])
    nexts = []
    for role in range(2):
        for at in cells:

            def made(who, end, at=at):
                return [d for d, way in zip(does[who], ways[who], strict=False) if way[end] == at]

            left, arrived, taken = made(role, 0), made(role, 1), made(1 - role, 1)
            stays = [cell[(role, *at)]]
            stays += [gate(NOT, several(OR, units)) for units in (left, taken) if units]
            stay = several(AND, stays)
            nexts.append(several(OR, [stay, *arrived]))
    nexts += [control[1], control[0]]
    won = [
        several(
            OR,
            [cell[role, x, size - 1 if role == 0 else 0] for x in range(size)]
            + [gate(NOT, several(OR, [cell[(1 - role, *at)] for at in cells]))],
        )
        for role in range(2)
    ]
    lost = [gate(NOT, unit) for unit in won]
    terminal = gate(OR, *won)
    return GateList(
        roles=roles,
        kinds=kinds,
        inputs=inputs,
        bases=tuple(texts),
        next=nexts,
        init=init,
        moves=tuple(map(tuple, moves)),
        does=list(does),
        legal=list(legal),
        terminal=terminal,
        goals=[[(100, won[role]), (0, lost[role])] for role in range(2)],
    )
