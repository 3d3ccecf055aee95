"""`python -m docs`: the site, into docs/site. Tutorials are run for it, and a link that leads nowhere is an error.

`python -m docs --runs FOLDER…` first takes the pictures of replications into docs/gallery, from which the gallery is
made.
"""

import argparse
import shutil
from pathlib import Path

from docs.press import api, gallery, pictures
from docs.press.documents import documents
from docs.press.site import Site
from docs.press.tutorials import tutorials


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m docs", description=__doc__)
    parser.add_argument(
        "--runs", nargs="+", type=Path, default=[], metavar="FOLDER", help="replications to take pictures from"
    )
    for run in parser.parse_args().runs:
        pictures.take(run)
    folder = Path(__file__).parent / "site"
    shutil.rmtree(folder, ignore_errors=True)
    api.write_modules(folder / "api")
    first, *others = documents()
    site = Site(folder, [first, *tutorials(), *gallery.pages(), *others, *api.pages()])
    site.write()
    site.check()
    print(f"The site: {folder / 'index.html'}")


if __name__ == "__main__":
    main()
