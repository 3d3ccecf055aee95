"""The gallery: every figure of every paper, with its caption, the command that draws it and what it is drawn from."""

from collections.abc import Iterator, Sequence
from html import escape

from PIL import Image

from docs.press.markdown import Link, to_html
from docs.press.pictures import GALLERY, Drawn, Experiment, Small, album
from docs.press.site import Page
from nucleate.papers import PAPERS, Description, description, paper

_PREVIEWED = 8
_WIDE = 1.8  # times as wide as high
_COPIES = (
    "The pictures are small copies of what real runs drew: those of the quick budget have fewer networks than the "
    "paper's claims need."
)


def pages() -> Iterator[Page]:
    """A page of all papers, and one for each."""
    yield Page("Gallery", "All papers", "gallery/index.html", _overview, "docs/gallery")
    for name in PAPERS:
        body = lambda link, name=name: _paper(description(name), link)
        yield Page("Gallery", name.capitalize(), f"gallery/{name}.html", body, f"docs/gallery/{name}")


def _overview(link: Link) -> str:
    return "<h1>Gallery</h1>\n" + "".join(_preview(description(name), link) for name in PAPERS)


def _preview(about: Description, link: Link) -> str:
    """A paper, and some of its pictures."""
    there, figures = link(f"/docs/gallery/{about.name}"), _in_order(about.name)
    drawn = [each for each in figures if isinstance(each, Drawn)]
    wall = "".join(
        f'<a href="{there}#{_anchor(each.figure)}">{_image(about.name, each.pictures[0], link)}</a>\n'
        for each in drawn[:_PREVIEWED]
    )
    head = f'<h2><a href="{there}">{escape(about.title)}</a></h2>\n<p>{escape(about.reference)}.'
    return f"{head} {_how_many(drawn, figures)}</p>\n" + (f'<div class="wall">\n{wall}</div>\n' if wall else "")


def _how_many(drawn: list[Drawn], figures: Sequence[Drawn | str]) -> str:
    """How much of a paper there is to see."""
    if not drawn:
        return f"None of its {len(figures)} figures and films has a picture here yet."
    return f"{len(drawn)} of its {len(figures)} figures and films have a picture here."


def _paper(about: Description, link: Link) -> str:
    """All figures of a paper, and its experiments."""
    figures = _in_order(about.name)
    drawn = [each for each in figures if isinstance(each, Drawn)]
    cards = "".join(_drawn(about.name, each, link) for each in drawn)
    later = "".join(f"<li>{_function(each, link)}</li>\n" for each in figures if isinstance(each, str))
    return f"""<h1>{escape(about.title)}</h1>
<p>{escape(about.reference)}. {_how_many(drawn, figures)} {_COPIES if drawn else ""}</p>
<div class="figures">
{cards}</div>
{_not_drawn(about.name, later) if later else ""}{_portraits(about, link)}{to_html(_experiments(about), link)}"""


def _not_drawn(name: str, listed: str) -> str:
    return f"""<h2 id="later">Not drawn yet</h2>
<p>No run that draws these is behind this page; {_command(name, "standard")} draws those for which that budget is
enough, <code>--budget paper</code> the others.</p>
<ul>
{listed}</ul>
"""


def _portraits(about: Description, link: Link) -> str:
    """What a paper draws for any run of one of its experiments."""
    names = [each.name for each in about.experiments if each.portraits]
    if not names:
        return ""
    cards = "".join(_drawn(about.name, each, link) for each in album(about.name).figures if each.figure in names)
    return f"""<h2 id="portraits">For any run of one experiment</h2>
<p><code>nucleate report FOLDER</code> draws the paper's figures for a run of {", ".join(names)},
whatever its options, such as other groups or learning rates.</p>
<div class="figures">
{cards}</div>
"""


def _in_order(name: str) -> list[Drawn | str]:
    """Every figure of a paper in its own order: what was drawn, or the function's name."""
    drawn = {each.figure: each for each in album(name).figures}
    functions = [f"{figure.__module__}.{figure.__qualname__}" for figure in paper(name).figures]
    return [drawn.get(function, function) for function in functions]


def _drawn(name: str, drawn: Drawn, link: Link) -> str:
    """What a figure's function drew; its anchor is that of the first picture."""
    reads = ", ".join(map(_read, drawn.reads)) or "no run: it is computed"
    if "/" in drawn.figure:
        behind = f"<code>nucleate report FOLDER</code> drew it of {reads}, trained on {drawn.day}."
    else:
        behind = (
            f"{_command(name, drawn.budget)} drew it on {drawn.day} ({_function(drawn.figure, link)}) from {reads}."
        )
    first, *others = drawn.pictures
    return "".join(
        [_figure(name, first, link, behind, _anchor(drawn.figure)), *(_figure(name, o, link, behind) for o in others)]
    )


def _figure(name: str, picture: Small, link: Link, behind: str, anchor: str = "") -> str:
    with Image.open(GALLERY / name / picture.file) as image:
        wide = image.width > _WIDE * image.height
    return f"""<figure{' class="wide"' if wide else ""}{f' id="{anchor}"' if anchor else ""}>
<a class="picture" href="{link(_file(name, picture))}">{_image(name, picture, link)}</a>
<figcaption><strong>{escape(picture.title)}</strong>
<p>{escape(picture.caption)}</p>
<p class="behind">{behind}</p></figcaption>
</figure>
"""


def _image(name: str, picture: Small, link: Link) -> str:
    with Image.open(GALLERY / name / picture.file) as image:
        size = f'width="{image.width}" height="{image.height}"'
    return f'<img src="{link(_file(name, picture))}" alt="{escape(picture.title)}" {size} loading="lazy">'


def _file(name: str, picture: Small) -> str:
    return f"/docs/gallery/{name}/{picture.file}"


def _command(name: str, budget: str) -> str:
    return f"<code>nucleate replicate {name} --budget {budget}</code>"


def _function(figure: str, link: Link) -> str:
    """A figure's function, with a link to its source."""
    file = "/src/" + figure.rsplit(".", 1)[0].replace(".", "/") + ".py"
    return f'<a href="{link(file)}"><code>{escape(_anchor(figure))}</code></a>'


def _read(experiment: Experiment) -> str:
    size = f"{experiment.networks:,} networks × {experiment.steps:,} steps"
    return f'<a href="#experiments">{escape(experiment.name)}</a> ({size})'


def _anchor(figure: str) -> str:
    """The last word of a figure's function or of an experiment."""
    return figure.split("/")[-1].split(".")[-1]


def _experiments(about: Description) -> str:
    """The experiments of a paper as a table."""
    rows = ["## Experiments", "", "| experiment | networks (standard) | steps | |", "|---|---|---|---|"]
    for each in about.experiments:
        networks, steps = ("–" if number is None else f"{number:,}" for number in (each.networks, each.steps))
        own = ", `nucleate report FOLDER`" if each.portraits else ""
        rows.append(f"| {each.name} | {networks} | {each.later or steps} | `nucleate run {each.name}`{own} |")
    if any(each.portraits for each in about.experiments):
        rows += [
            "",
            "`nucleate report` draws the paper's figures for any run of an experiment, whatever its options.",
        ]
    return "\n".join(rows)
