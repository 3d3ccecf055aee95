"""`python -m nucleate`: the command line."""

import sys

from nucleate.cli import main

sys.exit(main())
