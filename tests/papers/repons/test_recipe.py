"""The network of the repons paper against an independent loop."""

import jax
import numpy as np

from nucleate.fleet import train
from nucleate.papers.repons.experiments import ReponFleet

LEFT, RIGHT = np.triu_indices(10)


def test_the_network_agrees_with_numpy(tmp_path):
    """Gradient descent by hand, within single precision: positions and gradients of 30 steps."""
    plan = ReponFleet(embeddings=2, width=(7,), wd=(0.01,), steps=30, look=5).plan("test")
    record = train(plan, tmp_path / "run").record().load()
    for member in range(2):
        row = plan.members.row(member)
        model = plan.recipe.model(row, jax.random.fold_in(jax.random.key(row["seed"]), 0))
        E, W1, W2, b1, b2 = (
            np.asarray(part, np.float64) for part in (model.embedding, *model.decoder.weights, *model.decoder.biases)
        )
        label = LEFT + RIGHT
        M = np.eye(10)[LEFT] + np.eye(10)[RIGHT]
        for step in range(31):
            h = np.tanh(M @ E @ W1 + b1)
            logits = h @ W2 + b2
            chance = np.exp(logits - logits.max(1, keepdims=True))
            chance /= chance.sum(1, keepdims=True)
            loss = -np.log(chance[np.arange(55), label]).mean()
            pulled = (chance - np.eye(19)[label]) / 55
            hidden = pulled @ W2.T * (1 - h * h)
            gE = M.T @ (hidden @ W1.T)
            if step % 5 == 0:
                seen = record.isel(member=member).sel(step=step)
                np.testing.assert_allclose(seen.train_loss, loss, rtol=1e-5)
                np.testing.assert_allclose(seen.embedding, E, rtol=1e-4, atol=1e-6)
                np.testing.assert_allclose(seen.gradient, gE, rtol=1e-3, atol=1e-6)
            gW1, gW2, gb1, gb2 = (M @ E).T @ hidden, h.T @ pulled, hidden.sum(0), pulled.sum(0)
            E, W1, W2, b1, b2 = (
                x - 0.1 * (g + 0.01 * x) for x, g in ((E, gE), (W1, gW1), (W2, gW2), (b1, gb1), (b2, gb2))
            )
