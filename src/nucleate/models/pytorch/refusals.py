"""What a module does that JAX cannot follow, or would follow to wrong numbers: which part of it, and the way out."""

import inspect
import linecache
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nucleate.checking import shown
from nucleate.models.pytorch.library import pytorch

_HOOKS = ("forward", "forward_pre", "backward", "backward_pre")
_CALLS = {"_wrapped_call_impl", "_call_impl"}  # PyTorch's own, around every `forward`
_OWN = {"_parameters", "_buffers", "_modules"}


def refused(where: str, what: str) -> ValueError:
    return ValueError(f"from_torch: {where} {what}")


def named(module: Any, name: str) -> str:
    """A part of a module by its name there."""
    return _part(name, type(module.get_submodule(name)).__name__)


def _part(name: str, kind: str) -> str:
    return f"'{name}' ({kind})" if name else f"the module ({kind})"


def refuse_arguments(make: Callable[..., Any]) -> None:
    """Of what makes a module, which is called without any."""
    try:
        inspect.signature(make).bind()
    except TypeError as error:
        raise ValueError(
            "from_torch: module must be an nn.Module, or a function that makes one without arguments, such as "
            f"lambda: Net(width=8); got {shown(make)}, {error}."
        ) from None


def refuse_untranslatable(module: Any) -> None:
    """What can be told without calling it."""
    torch = pytorch()
    if not isinstance(module, torch.nn.Module):
        raise ValueError(f"from_torch: module must be an nn.Module, or a function that makes one; got {shown(module)}.")
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        where = f"'{name}'"
        if isinstance(tensor, torch.nn.parameter.UninitializedTensorMixin):
            raise refused(where, "has no shape yet: call the module once on an example first.")
        if (tensor.is_floating_point() or tensor.is_complex()) and tensor.dtype != torch.float32:
            raise refused(where, f"is of {_type(tensor)}; nucleate computes in float32: convert module.float().")
    for name, part in module.named_modules():
        hooks = [f"{kind}_hook" for kind in _HOOKS if getattr(part, f"_{kind}_hooks", None)]
        if hooks:
            raise refused(
                named(module, name),
                f"has a {hooks[0]}, which JAX would not call at every step: remove it. What it sees, a probe can see, "
                "and what it changes, forward can change; weight norm and its like are without hooks in "
                "torch.nn.utils.parametrizations.",
            )


def state_of(module: Any) -> dict[tuple[str, str], Any]:
    """Marks that change when an attribute of a module is set or changed."""
    attributes = [
        (name, key, value)
        for name, part in module.named_modules()
        for key, value in {**vars(part), **part._parameters, **part._buffers}.items()
        if key not in _OWN
    ]
    return {(name, key): _mark(value) for name, key, value in attributes}


def _mark(value: Any) -> Any:
    if hasattr(value, "_version"):  # a tensor, which counts its changes
        return id(value), value._version
    if isinstance(value, bool | int | float | str | None):
        return value
    if isinstance(value, Mapping):
        return {key: _mark(each) for key, each in value.items()}
    return [_mark(each) for each in value] if isinstance(value, list | tuple | set) else id(value)


def refuse_changed(module: Any, before: Mapping[tuple[str, str], Any]) -> None:
    """That a call of forward leaves the module as it was."""
    after = state_of(module)
    changed = [place for place in after if place not in before or after[place] != before[place]]
    if changed:
        raise changes(module, *changed[0])


def changes(module: Any, name: str, attribute: str) -> ValueError:
    """A part of a module sets one of its attributes in forward."""
    where = named(module, name)
    if hasattr(module.get_submodule(name), "track_running_stats"):
        return refused(
            where,
            f"is in training mode and updates its '{attribute}' in forward; members of a fleet have no such state. "
            "Call .eval() on it, make it with track_running_stats=False, or use GroupNorm or LayerNorm.",
        )
    return refused(
        where,
        f"changes its '{attribute}' in forward, which JAX would see once, when it traces. Make it in __init__, or "
        "return it.",
    )


def at_node(node: Any) -> str:
    """The part of a module, and its line, that a node of a graph is from."""
    name, kind = [*node.meta.get("nn_module_stack", {"": ("", "nn.Module")}).values()][-1]
    lines = (node.meta.get("stack_trace") or "").strip().splitlines()
    return _part(name, kind.rpartition(".")[2]) + (f", in “{lines[-1].strip()}”," if lines else "")


def at_error(module: Any, error: BaseException) -> str:
    """The innermost part of a module that was called when an error was raised, and its line."""
    names = {id(part): name for name, part in module.named_modules()}
    where = "the module"
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        name = names.get(id(frame.f_locals.get(code.co_varnames[0]))) if code.co_varnames else None
        if name is not None:
            source = linecache.getline(code.co_filename, line).strip()
            where = named(module, name) + (f", in “{source}”," if code.co_name not in _CALLS else "")
    return where


def refuse_types(nodes: Iterable[Any]) -> None:
    """That all numbers on the way are of single precision, and all shapes are known."""
    torch = pytorch()
    for node in nodes:
        made = node.meta.get("val")
        for tensor in made if isinstance(made, list | tuple) else [made]:
            if not isinstance(tensor, torch.Tensor):
                continue
            if any(not isinstance(size, int) for size in tensor.shape):
                raise depends(at_node(node))
            if (tensor.is_floating_point() or tensor.is_complex()) and tensor.dtype != torch.float32:
                raise refused(at_node(node), f"computes in {_type(tensor)}; nucleate computes in float32.")


def depends(where: str) -> ValueError:
    return refused(
        where,
        "decides by the values of tensors, for which JAX has no one program. torch.where chooses between values; what "
        "never changes can be an argument that is no tensor, as is_causal=True is for nn.TransformerEncoder.",
    )


def _type(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")
