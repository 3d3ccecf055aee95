"""What users see who make a mistake, without the runtime checks of shapes that tests otherwise run with."""

import json
import subprocess
import sys
from collections.abc import Sequence

_TRY = """
import json, sys
given, setup = json.load(sys.stdin)
exec(setup)
said = []
for mistake in given:
    try:
        exec(mistake)
    except BaseException as error:
        said.append(f"{type(error).__name__}: {error}")
    else:
        said.append("")
json.dump(said, sys.stdout)
"""


def errors_of(mistakes: Sequence[str], setup: str = "") -> list[str]:
    """The error of each of some statements, "ValueError: ...", or nothing; all are tried in one new process."""
    done = subprocess.run(
        [sys.executable, "-c", _TRY], input=json.dumps([list(mistakes), setup]), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
