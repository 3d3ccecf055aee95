"""A module traced by PyTorch: into a graph of operations that JAX has, too, or into an error that says why not."""

import contextlib
import io
import logging
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nucleate.models.pytorch import refusals
from nucleate.models.pytorch.library import pytorch
from nucleate.models.pytorch.operations import OPERATIONS, RANDOM
from nucleate.models.pytorch.program import Program, operation

_DECIDES = {"_local_scalar_dense", "item", "nonzero", "sym_size", "masked_select", "unique"}


def exported(module: Any, inputs: tuple, named: Mapping[str, Any]) -> Program:
    """What a module computes of inputs of these shapes. `module` is spent: tracing leaves its marks on it."""
    traced = _traced(module, inputs, named)
    signature, nodes = traced.graph_signature, [*traced.graph.nodes]
    for target in [*signature.buffers_to_mutate.values(), *signature.parameters_to_mutate.values()]:
        part, _, attribute = target.rpartition(".")
        raise refusals.changes(module, part, attribute)
    if signature.user_inputs_to_mutate:
        given = next(iter(signature.user_inputs_to_mutate.values()))
        raise ValueError(f"from_torch: forward changes its input '{given}' in place: let it change a copy.")
    used = [node for node in nodes if node.op == "call_function" and node.users]
    refusals.refuse_types(used)
    steps = [(node, _function(node)) for node in used]
    (output,) = (node for node in nodes if node.op == "output")
    unflatten, spec = pytorch().utils._pytree.tree_unflatten, traced.call_spec.out_spec
    return Program(
        *_entrances(module, traced, [node for node in nodes if node.op == "placeholder"]),
        steps=steps,
        outputs=output.args[0],
        rebuild=lambda leaves: unflatten(leaves, spec),
    )


def _traced(module: Any, inputs: tuple, named: Mapping[str, Any]) -> Any:
    torch = pytorch()
    try:
        with _quiet(), torch.enable_grad():
            traced = torch.export.export(module, inputs, dict(named), strict=False)
            _mark_detached(traced.graph)
            table = torch.export.default_decompositions()
            for known in [each for each in table if _operation(each) is not None]:
                table.pop(known)
            return traced.run_decompositions(table)
    except Exception as error:
        where = refusals.at_error(module, error)
        if "data-dependent" in str(error) or "DataDependent" in type(error).__name__:
            raise refusals.depends(where) from None
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise refusals.refused(where, f"cannot be traced by torch.export: {reason}") from error


def _mark_detached(graph: Any) -> None:
    """Keep in sight what has no derivative: PyTorch would not see it in a graph without derivatives."""
    detach = pytorch().ops.aten.detach_copy.default
    for node in [*graph.nodes]:
        if node.target is pytorch().ops.aten.detach.default:
            node.target = detach
        elif operation(node) == "wrap_with_set_grad_enabled" and node.args[0] is False:
            for result in [*node.users]:
                with graph.inserting_after(result):
                    detached = graph.call_function(detach, (result,))
                detached.meta = dict(result.meta)
                result.replace_all_uses_with(detached, lambda user, detached=detached: user is not detached)


def _entrances(module: Any, traced: Any, nodes: Sequence[Any]) -> tuple[dict, dict, list]:
    """Which parameters enter a graph where, which constants, and where a user's inputs do."""
    first: dict[int, str] = {}
    held = {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
    names = {name: first.setdefault(id(tensor), name) for name, tensor in held.items()}
    weights, constants, given = {}, {}, []
    for node, spec in zip(nodes, traced.graph_signature.input_specs, strict=True):
        if spec.target is None:
            given.append(node)
        elif getattr(held.get(spec.target), "requires_grad", False):
            weights[node] = names[spec.target]
        else:
            tensor = held[spec.target] if spec.target in held else traced.constants[spec.target]
            constants[node] = tensor.detach().cpu().numpy()
    return weights, constants, given


def _function(node: Any) -> Callable:
    if node.target is operator.getitem:
        return operator.getitem
    if (function := _operation(node.target)) is not None:
        return function
    name, where = operation(node), refusals.at_node(node)
    if name in RANDOM:
        raise refusals.refused(
            where,
            f"draws random numbers ({name}); nucleate draws them by the key of a call, for nn.Dropout alone. Draw them "
            "with jax.random and pass them in as an input, or call .eval() if they are for training.",
        )
    if name in _DECIDES:
        raise refusals.depends(where)
    raise refusals.refused(
        where, f"uses {name}, which from_torch does not know. Write it with other operations of PyTorch."
    )


def _operation(target: Any) -> Callable | None:
    """What JAX calls an operation of PyTorch, found by its name or by that of its overload."""
    name = getattr(target, "overloadpacket", target).__name__
    return OPERATIONS.get(name, OPERATIONS.get(f"{name}.{getattr(target, '_overloadname', '')}"))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """PyTorch's remarks on its own workings, and what it would print beside an error."""
    loud = [logging.getLogger(f"torch.{name}") for name in ("fx.experimental.symbolic_shapes", "export")]
    before = [logger.disabled for logger in loud]
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            for logger in loud:
                logger.disabled = True
            yield
        finally:
            for logger, disabled in zip(loud, before, strict=True):
                logger.disabled = disabled
