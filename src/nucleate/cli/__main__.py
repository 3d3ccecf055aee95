"""`python -m nucleate.cli`."""

import sys

from nucleate.cli import main

sys.exit(main())
