"""What holds of the whole room."""

import subprocess
import sys

import nucleate.plots


def test_public_names_exist_and_are_sorted_and_the_functions_have_doctests():
    names = nucleate.plots.__all__
    assert names == sorted(names)
    for name in names:
        public = getattr(nucleate.plots, name)
        if callable(public) and name not in ("FRACTION_MAP", "Picture"):
            assert ">>>" in public.__doc__, name


def test_drawing_needs_neither_pyplot_nor_jax():
    code = (
        "import sys, nucleate.plots as p\n"
        "with p.style():\n"
        "    figure, (ax,) = p.panels()\n"
        "    p.trajectories(ax, [0, 1], [[0.0, 1.0], [0.5, 0.6]])\n"
        "    figure.draw_without_rendering()\n"
        "print([name for name in ('matplotlib.pyplot', 'jax') if name in sys.modules])\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
