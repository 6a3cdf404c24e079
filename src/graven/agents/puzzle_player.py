"""The player of one-player games: it plays the moves of the best game found so far."""

from __future__ import annotations

from graven.agents.agent import spec_budget_or
from graven.agents.move_clock import MoveClock
from graven.agents.puzzle_agent import DEFAULT_MEMORY_MIB
from graven.agents.search_result import MIB, MoveStat, SearchResult
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.search.runner import Stop
from graven.search.score_bounds import HIGHEST
from graven.solving.method import check_solvable
from graven.solving.puzzle_search import PuzzleSearch

WARM_UP_UNITS = 2000


class PuzzleControl:
    """Ends a player's search: when its clock does, or when another thread interrupts it."""

    def __init__(self) -> None:
        self._interrupted = False
        self._stop: Stop | None = None

    def begin(self, stop: Stop | None) -> None:
        """Search until `stop` is set, too."""
        self._stop = stop

    def end(self) -> None:
        """Forget an interruption: it has been obeyed."""
        self._interrupted = False

    def interrupt(self) -> None:
        """End the search under way, or else the next one. Any thread may call this."""
        self._interrupted = True

    def is_set(self) -> bool:
        """Return whether the search is to end."""
        return self._interrupted or (self._stop is not None and self._stop.is_set())


class PuzzlePlayer:
    """Plays the moves of the best game found so far, and looks for a better one meanwhile."""

    every_step = False

    def __init__(self, game: Game, seed: int = 0, memory_mib: int = DEFAULT_MEMORY_MIB) -> None:
        check_solvable(game)
        self.game = game
        self.seed = seed
        self.search = PuzzleControl()
        self._memory = memory_mib * MIB
        self._puzzle: PuzzleSearch | None = None

    def warm_up(self) -> None:
        """Compile the search or load it from the cache."""
        PuzzleSearch(self.game.start()).advance(units=WARM_UP_UNITS)

    def choose(self, position: Position, clock: MoveClock | None = None) -> SearchResult:
        """Return the first move of the best game; a proven one is not searched again."""
        if position.is_over:
            raise UsageError(f"the game of {position.game.name} is over: there is nothing to play.")
        clock = clock or MoveClock(spec_budget_or(Budget(), Budget()))
        puzzle = self._puzzle_at(position)
        units, seconds = puzzle.units, puzzle.seconds
        line = self._line_at(puzzle, position)
        if line is None or not puzzle.is_proven:
            self.search.begin(clock.stop)
            puzzle.advance(clock.budget.playouts, clock.budget.seconds, self.search)
            line = puzzle.codes
        self.search.end()
        moves = tuple(self.game.format_move(0, code) for code in line)
        spent = puzzle.units - units
        upper = puzzle.score if puzzle.is_proven else HIGHEST
        stat = MoveStat(
            move=moves[0],
            visits=spent,
            mean=puzzle.score,
            amaf=None,
            amaf_visits=0,
            lower=puzzle.score,
            upper=upper,
            plies_left=len(moves) - 1,
        )
        return SearchResult(
            best_move=moves[0],
            value=puzzle.score,
            root_stats=(stat,),
            by_player={0: (stat,)},
            pv=moves,
            playouts=spent,
            seconds=puzzle.seconds - seconds,
            nodes=puzzle.nodes,
            player_names=tuple(self.game.player_names),
            proven=puzzle.is_proven,
            bounds=((puzzle.score, upper),),
            plies_left=len(moves),
            tree=None,
        )

    def ponder(self, position: Position, clock: MoveClock | None = None) -> SearchResult:
        """Continue the search: the same as `choose`."""
        return self.choose(position, clock)

    def close(self) -> None:
        """Release the memory of the search."""
        self._puzzle = None

    def _puzzle_at(self, position: Position) -> PuzzleSearch:
        """Return the search of a position: the one before, if its result is proven and followed."""
        before = self._puzzle
        if before is None:
            self._puzzle = PuzzleSearch(position, derive(self.seed, position.ply), self._memory)
            return self._puzzle
        line = self._line_at(before, position)
        if before.start.history == position.history or (line is not None and before.is_proven):
            return before
        self._puzzle = None  # its memory is needed
        del before
        self._puzzle = PuzzleSearch(position, derive(self.seed, position.ply), self._memory)
        if line:
            self._puzzle.accept(line)
        return self._puzzle

    @staticmethod
    def _line_at(puzzle: PuzzleSearch, position: Position) -> list[int] | None:
        """Return the rest of the best game in a position; None if the game does not lead there."""
        begin = len(puzzle.start.history)
        played = [joint[0] for joint in position.history[begin:]]
        if position.history[:begin] != puzzle.start.history or not puzzle.codes:
            return None
        if puzzle.codes[: len(played)] != played:
            return None
        return puzzle.codes[len(played) :]
