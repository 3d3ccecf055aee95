"""The process dies, or the disk fails, at any change of the disk: nothing that was there is lost, nothing is torn."""

import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, final

from tests.attack.case import Attack, Case
from tests.attack.changes import BadBlock, FullDisk, Kill, Killed, changes
from tests.attack.ground import Answer, call, place_to_work, touched
from tests.attack.toys import REPLICATE, RUN, difference, only_toys, outcome

_FAULTS = (Kill(), FullDisk(), BadBlock())
_STRIDE = 0.6180339887498949  # of the golden ratio: however many cases there are, they are spread evenly


@final
@dataclass(frozen=True)
class Scene:
    """A command that changes a folder. `begun`: the folder is complete before; `again`: the command that mends it."""

    command: tuple[str, ...]
    folder: str
    begun: bool
    again: tuple[str, ...]

    @property
    def keeps(self) -> bool:
        """Whether what was complete must be readable at every moment."""
        return self.begun and "--fresh" not in self.command

    def __str__(self) -> str:
        return f"nucleate {' '.join(self.command)} ({'complete' if self.begun else 'nothing'} before)"


SCENES = (
    Scene(REPLICATE, "toy", False, REPLICATE),
    Scene(REPLICATE, "toy", False, (*REPLICATE, "--fresh")),
    Scene(REPLICATE, "toy", True, REPLICATE),
    Scene((*REPLICATE, "--fresh"), "toy", True, REPLICATE),
    Scene((*REPLICATE, "--fresh"), "toy", True, (*REPLICATE, "--fresh")),
    Scene(("report", "toy"), "toy", True, REPLICATE),
    Scene(RUN, "run", False, RUN),
    Scene(("report", "run"), "run", True, ("report", "run")),
)


@final
class Kills(Attack):
    """Half of the cases go through every change of every scene, the others are drawn."""

    name: ClassVar[str] = "kills"
    enough: ClassVar[int] = 30

    def __init__(self):
        self._whole = {"toy": Path("whole/toy").absolute(), "run": Path("whole/run").absolute()}
        Path("whole").mkdir()
        with only_toys():
            for command, path in ((REPLICATE, self._whole["toy"]), (RUN, self._whole["run"])):
                _must(call(*command[:-1], str(path)))
            self._outcomes = {name: outcome(path) for name, path in self._whole.items()}
            _must(call("report", str(self._whole["run"])))
            self._reported = outcome(self._whole["run"])
            self._places = [(scene, at + 1) for scene in SCENES for at in range(self._count(scene))]

    def case(self, number: int, rng: random.Random) -> Case:
        if number % 2:  # every scene as often: some have a handful of changes
            scene, fault = rng.choice(SCENES), rng.choice(_FAULTS)
            at = rng.choice([at for other, at in self._places if other == scene])
        else:
            scene, at = self._places[int(number / 2 * _STRIDE % 1 * len(self._places))]
            fault = _FAULTS[number // 2 % len(_FAULTS)]
        return Case(f"{type(fault).__name__} at change {at} of {scene}", lambda: self._strike(scene, at, fault))

    def _count(self, scene: Scene) -> int:
        with place_to_work("ground") as work:
            self._begin(scene)
            with changes(work / scene.folder) as noted:
                _must(call(*scene.command))
        return noted.count

    def _begin(self, scene: Scene) -> None:
        if scene.begun:
            shutil.copytree(self._whole[scene.folder], scene.folder, symlinks=True)

    def _strike(self, scene: Scene, at: int, fault) -> str:
        with only_toys(), place_to_work("ground") as work:
            self._begin(scene)
            try:
                with changes(work / scene.folder, fault, at) as noted:
                    answer = call(*scene.command)
            except Killed:
                answer = Answer(0, "", "")
            return (answer.wrong and f"{noted.struck}: {answer.wrong}") or self._judge(scene, noted.struck)

    def _judge(self, scene: Scene, struck: str) -> str:
        """What is there now can be looked at; what was there is there; and the command, called again, mends it all."""
        looks = [call(*look) for look in (("runs",), ("show", scene.folder), ("report", scene.folder))]
        looks += [call("show", "toy/first"), call("show", "toy/second")] if scene.folder == "toy" else []
        for look in looks:
            if look.wrong:
                return f"after {struck}: {look.wrong}"
        if scene.keeps and (lost := self._lost(scene, looks[2])):
            return f"after {struck}: {lost}"
        mended = call(*scene.again)
        if mended.wrong or mended.code != 0:
            return f"after {struck}, `{' '.join(scene.again)}`: {mended.wrong or mended.err.strip()}"
        expected = self._outcomes[scene.folder] if scene.folder == "toy" else self._reported
        if scene.folder == "run":
            call("report", "run")
        if differs := difference(outcome(Path(scene.folder)), expected):
            return f"after {struck} and `{' '.join(scene.again)}`: {differs}"
        return touched(Path("../neighbour"))

    def _lost(self, scene: Scene, report: Answer) -> str:
        page, before = Path(scene.folder, "report.html"), self._whole[scene.folder] / "report.html"
        if report.code != 0:
            return f"no report any more: {report.err.strip()}"
        shown, expected = (text.read_text().count("data:image/png") for text in (page, before))
        return f"{expected - shown} of {expected} figures lost" if shown < expected else ""


def _must(answer: Answer) -> None:
    assert answer.code == 0, answer
