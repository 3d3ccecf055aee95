"""The workers of a cluster that can train a run: invited, asked what they are, and missed when they are gone."""

import time
from dataclasses import dataclass, field
from typing import Any

from nucleate import __version__, machine
from nucleate.fleet.allow import Allow
from nucleate.fleet.clusters.crew import Arrival
from nucleate.fleet.clusters.line import Line, arrive
from nucleate.fleet.code import code_of
from nucleate.fleet.progress import Watcher
from nucleate.fleet.recipe import Recipe
from nucleate.fleet.sessions import begin_crew, place_of
from nucleate.record import Run, RunError

_ARRIVAL = 300.0  # seconds that a worker may take to import everything
_LOOK = 1.0  # seconds between two looks at who has left meanwhile


@dataclass
class Hand:
    """A worker that trains: how many shards at once, and which now; the place of its environment in run.json; and
    whether it was told of the run."""

    threads: int
    place: int
    busy: set[int] = field(default_factory=set)
    briefed: bool = False


class Roster:
    """Who trains a run, by address."""

    def __init__(self, line: Line, run: Run, recipe: Recipe, session: str, watch: Watcher):
        self.hands: dict[str, Hand] = {}
        self._line, self._run, self._recipe, self._session, self._watch = line, run, recipe, session, watch
        self._arriving: dict[str, Any] = {}
        self._left_out: set[str] = set()
        self._code = code_of(recipe)  # as it is now, whatever is written into its file meanwhile

    def open(self, allow: Allow) -> None:
        """All workers that are there; each of them must be able to train the run."""
        threads = self._line.threads()
        if not threads:
            raise RunError(f"the cluster at {self._line.address} has no workers; start some, then try again.")
        for address, version in sorted(self._line.nucleates().items()):
            if refusal := wrong_nucleate(address, version):
                raise RunError(refusal)
        arrivals = self._await({address: self._invite(address, count) for address, count in threads.items()})
        environments = [arrival.environment for arrival in arrivals.values()]
        places = begin_crew(self._run, self._watch, environments, allow)
        for address, place in zip(arrivals, places, strict=True):
            self.hands[address] = Hand(threads[address], place)

    def muster(self) -> list[str]:
        """Welcome workers that have come since; the addresses of those that are gone."""
        there = self._line.threads()
        gone = [address for address in self.hands if address not in there]
        for address in gone:
            del self.hands[address]
        self._tell(gone, "the worker {} is gone", "{} workers are gone", "left")
        for address in there.keys() - self.hands.keys() - self._arriving.keys() - self._left_out:
            self._arriving[address] = self._invite(address, there[address])
        arrived = [address for address, invited in self._arriving.items() if invited.done()]
        joined = [each for each in arrived if self._welcome(each, self._arriving.pop(each), there)]
        self._tell(joined, "a worker has joined, {}", "{} workers have joined", "now")
        self._left_out &= there.keys()
        return gone

    def _tell(self, addresses: list[str], one: str, several: str, of_all: str) -> None:
        if addresses:
            what = one.format(addresses[0]) if len(addresses) == 1 else several.format(len(addresses))
            self._watch.tell(f"{what}; {of_all}: {self}")

    def ask_again(self, address: str) -> None:
        """See to it that a worker is invited once more."""
        self.hands.pop(address, None)

    def close(self) -> None:
        """Invite nobody else."""
        for invited in self._arriving.values():
            invited.cancel()

    @property
    def threads(self) -> int:
        return sum(hand.threads for hand in self.hands.values())

    def __str__(self) -> str:
        """2 workers, with 4 threads"""
        workers, threads = len(self.hands), self.threads
        return f"{workers} worker{'s' * (workers != 1)}, with {threads} thread{'s' * (threads != 1)}"

    def _invite(self, address: str, threads: int) -> Any:
        return self._line.ask(
            address, "nucleate-arrive", arrive, self._run.lease.absolute(), self._session, self._recipe, threads
        )

    def _await(self, invited: dict[str, Any]) -> dict[str, Arrival]:
        """What workers say of themselves, if all of them that have not left since can train the run."""
        deadline = time.monotonic() + _ARRIVAL
        looked = time.monotonic()
        while waiting := [address for address, answer in invited.items() if not answer.done()]:
            machine.stop_if_asked()
            time.sleep(0.02)
            if (now := time.monotonic()) > deadline:
                raise RunError(f"the worker {waiting[0]} has not answered in {_ARRIVAL:.0f} s; its log may say why.")
            if now - looked > _LOOK:
                looked, there = now, self._line.threads()
                for address in [address for address in waiting if address not in there]:
                    invited.pop(address).cancel()
        if not invited:
            raise RunError(f"all workers of the cluster at {self._line.address} have gone; start some, then try again.")
        arrivals = self._line.answers([*invited.values()])
        for address, answer in invited.items():
            if refusal := self._refusal(address, answer, arrivals.get(answer)):
                raise RunError(refusal)
        return {address: arrivals[answer] for address, answer in invited.items()}

    def _welcome(self, address: str, answer: Any, there: dict[str, int]) -> bool:
        """Whether a worker that was invited late is one of those that train from now on."""
        if address not in there:
            return False
        arrival: Arrival | None = self._line.answers([answer]).get(answer)
        about, refusal, place = self._run.about, self._refusal(address, answer, arrival), None
        if refusal is None and arrival:
            place = place_of(arrival.environment, [about, *about.sessions])
        if place is not None:
            self.hands[address] = Hand(there[address], place)
            return True
        refusal = refusal or f"the worker {address} has other versions or instructions than those that train this run"
        self._left_out.add(address)
        self._watch.tell(f"{refusal.rstrip('.')}; it is left out")
        return False

    def _refusal(self, address: str, answer: Any, arrival: Arrival | None) -> str | None:
        """Why a worker that was invited cannot train the run."""
        if arrival is None:
            problem = answer.exception() if answer.status == "error" else None
            why = str(problem) if isinstance(problem, RunError) else f"{type(problem).__name__}: {problem}"
            return f"the worker {address} cannot train this run: {why.rstrip('.') if problem else 'it has gone'}."
        where, folder = f"the worker {address} on {arrival.host}", self._run.path.absolute()
        if refusal := wrong_nucleate(address, arrival.nucleate):
            return refusal
        if not arrival.sees:
            return (
                f"{where} does not see {folder}: put the run on a file system that all workers share, under the same "
                "path, with --out."
            )
        if not arrival.writes:
            return f"{where} may not write to {folder}; let it, or choose another folder with --out."
        if None not in (codes := (arrival.code, self._code)) and codes[0] != codes[1]:
            return f"{where} has other code of {type(self._recipe).__name__}; start the workers anew where it is this."
        return None


def wrong_nucleate(address: str, version: str | None) -> str | None:
    """Why a worker with this version of nucleate, if it has any, is of no use."""
    if version == __version__:
        return None
    has = f"has nucleate {version}, not {__version__}" if version else "has no nucleate installed"
    fix = f"`pip install 'nucleate[cluster]=={__version__}'`"
    return f"the worker {address} {has}; {fix} where workers run, then start them anew."
