"""The code of a recipe that is not nucleate's own, so that a rewritten one is not taken for what trained a run."""

import ast
import hashlib
import inspect
import textwrap

from nucleate.fleet.recipe import Recipe


def code_of(recipe: Recipe) -> str | None:
    """A digest of a recipe's class and its bases, as they are written, without comments and docstrings.

    What they call outside of themselves is not seen. None for recipes of nucleate, which its version identifies, and
    for code that is in no file.
    """
    kinds = [kind for kind in type(recipe).__mro__ if issubclass(kind, Recipe)]
    own = [kind for kind in kinds if kind.__module__.split(".")[0] != "nucleate"]
    try:
        trees = [ast.parse(textwrap.dedent(inspect.getsource(kind))) for kind in own]
    except (OSError, TypeError, SyntaxError):
        return None
    text = "\n".join(ast.dump(_without_docstrings(tree)) for tree in trees)
    return hashlib.sha256(text.encode()).hexdigest()[:16] if own else None


def _without_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_text(line)]  # type: ignore[attr-defined]
    return tree


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)
