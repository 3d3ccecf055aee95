"""What a command is asked for: a paper, by its name or its file, and what of it."""

import contextlib
import dataclasses
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from nucleate.cli.parsing import UsageError
from nucleate.cli.printing import busy


def parted(target: str) -> tuple[str, str]:
    """The paper, as it is named, and what of it, if not all.

    >>> parted("grokking"), parted("grokking/14"), parted("./mine.py"), parted("./mine.py:easy")
    (('grokking', ''), ('grokking', '14'), ('./mine.py', ''), ('./mine.py', 'easy'))
    """
    from nucleate.papers.names import is_file

    head, colon, part = target.rpartition(":")
    if colon and is_file(head) and not (len(head) == 1 and head.isalpha()):  # the letter of a disk
        return head, part
    if is_file(target):
        return target, ""
    home, _, part = target.partition("/")
    return home, part


def paper_of(home: str) -> Any:
    """The paper of that name, or in that file; its recipes and theories take seconds to load."""
    with busy("loading"), known_papers():
        from nucleate.papers import paper

        return paper(home)


def claims_of(target: str) -> tuple[Any, tuple]:
    """The paper of a target, and the claims that are chosen, if not all."""
    home, part = parted(target)
    paper = paper_of(home)
    if part in ("", paper.name):
        return paper, ()
    names = [_full(paper, name) for name in part.split(", ")]
    claims = tuple(claim for claim in paper.claims if claim.id in names)
    if not claims:
        raise UsageError(f"there is no claim '{names[0]}'; `nucleate list {home}` shows those of {paper.name}.")
    return paper, claims


@dataclass(frozen=True)
class Asked:
    """An experiment of a paper. `home`: the paper's name or file."""

    paper: Any
    home: str
    name: str

    def at(self, budget: str) -> Any:
        """The experiment at the size of a budget."""
        return _at(self.paper.experiments[self.name], self.name, budget)

    @property
    def target(self) -> str:
        """How the command line is asked for it."""
        return self.name if self.home in known() else f"{self.home}:{self.name.partition('/')[2]}"

    def beside(self, name: str) -> "Asked":
        """Another experiment of the paper."""
        return Asked(self.paper, self.home, name)


@dataclass(frozen=True)
class Told:
    """One of nucleate's experiments as its paper describes it, which is enough for help: none of it is imported."""

    name: str
    fields: Any
    values: Any

    def at(self, budget: str) -> Any:
        """What looks like the experiment at the size of a budget."""
        import tyro

        values, kinds = _at(self.values, self.name, budget), self.fields.kinds()
        told = {each.name: tyro.conf.arg(help=each.meaning) for each in self.fields.options}
        fields = [(name, Annotated[kinds[name], told[name]], values[name]) for name in told]
        config = dataclasses.make_dataclass("Config", fields, namespace={"repeats": self.fields.repeats}, frozen=True)
        config.__doc__ = self.fields.about
        return config()


def told_of(target: str) -> Told | None:
    """One of nucleate's experiments, if there is one of that name."""
    from nucleate.papers import PAPERS
    from nucleate.papers.options import options

    if (paper := target.partition("/")[0]) not in PAPERS:
        return None
    every = options(paper)
    values = every.experiments.get(target)
    return values and Told(target, every.configs[values.config], values)


def experiment_of(target: str) -> Asked:
    """The experiment that is asked for, such as grokking/groups or ./my_paper.py:easy."""
    from nucleate.papers.names import is_file

    home, part = parted(target)
    if is_file(home) or home in known():
        paper = paper_of(home)
        name = _full(paper, part)
        if name in paper.experiments:
            return Asked(paper, home, name)
        if is_file(home):
            names = ", ".join(each.partition("/")[2] for each in paper.experiments)
            lacks = f"has no experiment '{part}'" if part else "is a paper, not an experiment"
            raise UsageError(f"{home} {lacks}: say {home}:NAME; there are: {names or 'none'}.")
    close = difflib.get_close_matches(target, experiments(), n=1, cutoff=0.4)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise UsageError(f"there is no experiment '{target}'.{hint} `nucleate run --help` lists them.")


def known() -> tuple[str, ...]:
    """The names of papers."""
    from nucleate.papers import PAPERS
    from nucleate.papers.names import offered

    return (*PAPERS, *offered())


def experiments() -> list[str]:
    """The names of all of nucleate's own, from what papers say of themselves."""
    from nucleate.papers import PAPERS, description

    return [each.name for name in PAPERS for each in description(name).experiments]


@contextlib.contextmanager
def known_papers() -> Iterator[None]:
    """In this block, a paper that there is not is the user's mistake."""
    try:
        yield
    except LookupError as mistake:
        raise UsageError(str(mistake)) from None


def _at(sizes: Any, name: str, budget: str) -> Any:
    from nucleate.papers import Budget

    if (sized := sizes.at(Budget(budget))) is None:
        why, other = ("cost too much", "paper") if sizes.standard is None else ("show nothing", "standard")
        raise UsageError(f"{name} has no {budget} size, which would {why}; use --budget {other}.")
    return sized


def _full(paper: Any, part: str) -> str:
    """The name of a part of a paper: 14 and grokking/14 are the same."""
    return part if part.startswith(f"{paper.name}/") else f"{paper.name}/{part}"
