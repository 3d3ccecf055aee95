"""`make fuzz`: attacks of every kind until the time is up. What breaks is told with the command to break it again."""

import argparse
import sys

from tests.attack.campaign import Campaign, strike_again
from tests.attack.worker import KINDS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"some of {', '.join(KINDS)}; all if left out")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other cases")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long")
    parser.add_argument("--enough", action="store_true", help="as many cases of each kind as in the test suite")
    parser.add_argument("--case", type=int, help="only the case of this number, of one kind, with all that it says")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    given = parser.parse_args()
    if unknown := set(given.kinds) - set(KINDS):
        parser.error(f"there is no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    if given.case is None:
        seconds = None if given.enough else given.seconds
        return Campaign(tuple(given.kinds) or tuple(KINDS), given.seed, seconds, given.workers).run()
    if len(given.kinds) != 1:
        parser.error("--case needs one KIND")
    return strike_again(given.kinds[0], given.seed, given.case)


if __name__ == "__main__":
    sys.exit(main())
