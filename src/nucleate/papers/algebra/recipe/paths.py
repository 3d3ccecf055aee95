"""Transformers that say shortest paths in graphs they are told edge by edge, as a recipe."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, ArrayLike, Bool, Float, Int, PyTree

from nucleate.fleet import Batching, Every, LogSpaced, Probe, Recipe, Stream, View
from nucleate.models import SequenceShape, SequenceTransformer, TransformerSize, cross_entropy, look_back, pre_norm
from nucleate.tasks import PathBatch, PathTask, RandomGraphs, connected_graphs

LEAST_EDGES = 6
"""Edges that a held-out graph has at least: with fewer, hardly anything is left for chance to miss."""

_ATLAS = 7  # vertices up to which all graphs are known
_CLIP = 1.0  # the norm that gradients are clipped at
_FLOOR = 0.05  # of the learning rate, at the end


@final
@dataclass(frozen=True)
class GraphLibrary:
    """The graphs that networks see: all connected ones of up to seven vertices, and random larger ones.

    `task`: whose `vertices` and `edges` the largest graphs have; `least`: vertices of the smallest; `larger`: how many
    are drawn for each number of vertices above seven; `held_out`: how many graphs of at least `LEAST_EDGES` edges are
    kept to test on. Among the larger ones, those with too many edges and those with the spectrum of another one are
    left out: so no graph is there twice under other names.
    """

    task: PathTask
    least: int
    larger: int
    held_out: int

    def split(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Graphs to train on, and those that are held out."""
        graphs = _graphs(self)
        large = [number for number, graph in enumerate(graphs) if graph.sum() // 2 >= LEAST_EDGES]
        if len(large) <= self.held_out:
            raise ValueError(
                f"PathFleet.held_out must be less than the {len(large)} graphs of {LEAST_EDGES} edges or more; got "
                f"{self.held_out}."
            )
        chosen = set(np.random.default_rng(seed).permutation(large)[: self.held_out].tolist())
        train = [graph for number, graph in enumerate(graphs) if number not in chosen]
        return self.task.library(train), self.task.library([graphs[number] for number in sorted(chosen)])


@cache
def _graphs(library: GraphLibrary) -> list[np.ndarray]:
    """All graphs of a library, the same for all networks."""
    task = library.task
    small = range(library.least, min(task.vertices, _ATLAS) + 1)
    found = [graph for vertices in small for graph in connected_graphs(vertices)]
    for vertices in range(max(library.least, _ATLAS + 1), task.vertices + 1):
        # On average, half of the edges that there may be beyond a tree's: in sparse graphs paths are longer.
        chance = (vertices - 1 + task.edges) / (vertices * (vertices - 1))
        drawn = RandomGraphs(vertices, vertices, min(chance, 1.0)).draw(seed=vertices, count=library.larger)
        # Eigenvalues do not depend on names; zero is added for those that are −0.
        found += {(np.linalg.eigvalsh(graph).round(6) + 0.0).tobytes(): graph for graph in drawn}.values()
    return [graph for graph in found if graph.sum() // 2 <= task.edges]


@final
@dataclass(frozen=True)
class PathFinder(Recipe):
    """A causal pre-norm transformer is told a graph and says a shortest path, trained by AdamW [cohen2025spectral].

    Members' columns: `seed` (network, graphs and sequences), `eta` (the highest learning rate), `decay`. Every step has
    fresh sequences: any graph of the library, with other names, another order of its edges and another query. The
    learning rate rises for `warmup` steps and falls like a cosine until `steps`. Only the path counts, without its
    source. Every `look` steps answers to `tests` queries about held-out graphs are judged, and `maps` times, at
    log-spaced steps, the edges of these graphs are embedded, as the mean over `orders` orders of them.
    """

    library: GraphLibrary
    size: TransformerSize
    steps: int
    batch: int = 64
    warmup: int = 200
    tests: int = 256
    orders: int = 64
    look: int = 250
    maps: int = 12

    @property
    def task(self) -> PathTask:
        return self.library.task

    @property
    def batching(self) -> Batching:  # type: ignore[override]
        return Stream(self._draw)

    def _draw(self, data: PyTree, key: Array, step: Int[Array, ""]) -> PathBatch:
        which, rest = jax.random.split(key)
        chosen = jax.random.randint(which, (self.batch,), 0, data["train"].shape[0])
        return self.task.sample(rest, data["train"][chosen])

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        seed = int(member["seed"])
        train, held_out = self.library.split(seed)
        asked = np.resize(np.arange(len(held_out)), self.tests)
        tests = jax.jit(self.task.sample)(jax.random.key(seed), held_out[asked])
        return {"train": train, "held_out": held_out, "tests": jax.tree.map(np.asarray, tests)._asdict()}

    def model(self, member: Mapping[str, Any], key: Array) -> SequenceTransformer:
        shape = SequenceShape(self.task.tokens, positions=self.task.length - 1)
        return SequenceTransformer(self.size, shape, look_back, pre_norm, key=key)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        def rate(count: ArrayLike) -> Array:
            step = jnp.asarray(count, jnp.float32)
            falling = (1 + jnp.cos(jnp.pi * jnp.minimum(step / self.steps, 1))) / 2
            rising = jnp.minimum((step + 1) / self.warmup, 1)
            return member["eta"] * rising * (_FLOOR + (1 - _FLOOR) * falling)

        adam = optax.adamw(rate, b2=0.98, weight_decay=member["decay"])
        return optax.chain(optax.clip_by_global_norm(_CLIP), adam)

    def loss(self, model: SequenceTransformer, batch: PathBatch, key: Array) -> tuple[Float[Array, ""], PyTree]:
        logits = model(batch.tokens[:, :-1])[:, self.task.context :]
        label = batch.tokens[:, self.task.context + 1 :]
        nats = cross_entropy(logits.reshape(-1, self.task.tokens), label.reshape(-1))
        return jnp.sum(nats * batch.weight.reshape(-1)) / jnp.sum(batch.weight), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        often = Every(self.look)
        embedded = Probe("embedding", self._embedded, LogSpaced(self.maps), ("graph", "edge", "dim"), axis="step_map")
        return (
            Probe("loss", lambda view: view.loss, often),
            Probe("accuracy", self._accuracy, often, dims=("measure",)),
            embedded,
        )

    def _accuracy(self, view: View) -> Float[Array, " measure"]:
        """Shares of legal answers, of optimal ones, and of optimal ones where no edge joins source and target."""
        batch = PathBatch(**view.data["tests"])
        found = self.task.judge(batch, decode(self.task, view.model, batch.tokens))
        source, target = batch.tokens[:, self.task.context], batch.tokens[:, self.task.context - 2]
        far = batch.distance[jnp.arange(self.tests), source, target] > 1
        return jnp.stack([found.legal.mean(), found.optimal.mean(), jnp.sum(found.optimal & far) / jnp.sum(far)])

    def _embedded(self, view: View) -> Float[Array, "graph edge dim"]:
        return embed_edges(self.task, view.model.look, view.data["held_out"], self.orders)

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        held_out = np.stack([member["held_out"] for member in data])
        return {"held_out": (("member", "graph", "vertex", "other"), held_out)}


def decode(
    task: PathTask, model: Callable[[Array], Array], tokens: Int[Array | np.ndarray, "sample place"]
) -> Int[Array, "sample step"]:
    """What a network says after the source, always the likeliest token, for as many steps as a path can have."""
    first = task.context + 1
    said = jnp.asarray(tokens).at[:, first:].set(task.special("<pad>"))
    for place in range(first, task.length):
        said = said.at[:, place].set(model(said[:, :-1])[:, place - 1].argmax(-1))
    return said[:, first:]


def embed_edges(
    task: PathTask, look: Callable[[Array], Any], graphs: Bool[Array | np.ndarray, "graph vertex vertex"], orders: int
) -> Float[Array, "graph edge dim"]:
    """The state of the <e> that ends each edge after the first block, the mean over random orders of the edges.

    `look`: that of a `SequenceTransformer`. Each edge is written in a random direction, too. Edges are in the order of
    `numpy.triu_indices`, followed by zeros.
    """
    pairs = task.vertices * (task.vertices - 1) // 2

    def one(key: Array) -> Float[Array, "graph pair dim"]:
        state = look(task.edge_list(key, graphs)).states[:, 1, task.edge_places]
        return jnp.einsum("gep,gew->gpw", jax.nn.one_hot(task.edge_numbers(key, graphs), pairs), state)

    keys = jax.random.split(jax.random.key(30), orders)
    total = jax.lax.scan(lambda sum_, key: (sum_ + one(key), None), jnp.zeros_like(one(keys[0])), keys)[0]
    rows, columns = np.triu_indices(task.vertices, 1)
    absent = ~jnp.asarray(graphs)[:, rows, columns]
    first = jnp.argsort(absent, axis=1, stable=True)[:, : task.edges]
    return jnp.take_along_axis(total / orders, first[..., None], axis=1)
