"""SameGame from its rules: columns of digits, each from the bottom up."""

from __future__ import annotations

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class SameGame:
    turn = 0

    def __init__(self, board: str, tabu: bool = False) -> None:
        rows = board.split("/")
        columns = ["".join(row[i] for row in reversed(rows)) for i in range(len(rows[0]))]
        self.columns = tuple(
            column for column in (column.replace(".", "") for column in columns) if column
        )
        self.points_now = 0
        colours = sorted("".join(self.columns))
        self.tabu = max(colours, key=colours.count) if tabu else None

    def groups(self) -> dict[str, set[tuple[int, int]]]:
        blocks = {
            (x, y): colour
            for x, column in enumerate(self.columns)
            for y, colour in enumerate(column)
        }
        groups, seen = {}, set()
        for block in sorted(blocks):
            if block in seen:
                continue
            group, edge = {block}, {block}
            while edge:
                edge = {
                    near
                    for x, y in edge
                    for near in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
                    if blocks.get(near) == blocks[block] and near not in group
                }
                group |= edge
            seen |= group
            if len(group) > 1:
                x, y = block
                groups[f"{LETTERS[x]}{y + 1}:{blocks[block]}"] = group
        return groups

    @property
    def over(self) -> bool:
        return not self.groups()

    def moves(self) -> set[str]:
        others = {text for text in self.groups() if text[-1] != self.tabu}
        return others or set(self.groups())

    def play(self, text: str) -> None:
        group = self.groups()[text]
        left = [
            "".join(colour for y, colour in enumerate(column) if (x, y) not in group)
            for x, column in enumerate(self.columns)
        ]
        self.columns = tuple(column for column in left if column)
        self.points_now += (len(group) - 2) ** 2 + (0 if self.columns else 1000)


def most_points(game: SameGame) -> int:
    """Return the most points that can still be scored, by exhaustive search."""
    solved: dict[tuple[str, ...], int] = {}

    def more(columns: tuple[str, ...]) -> int:
        if columns not in solved:
            current = SameGame("0")
            current.columns = columns
            best = 0
            for move in current.moves():
                after = SameGame("0")
                after.columns = columns
                after.play(move)
                best = max(best, after.points_now + more(after.columns))
            solved[columns] = best
        return solved[columns]

    return more(game.columns)
