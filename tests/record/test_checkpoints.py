"""Folders of checkpoints, in the order of their steps; what is damaged or unclear is named."""

import numpy as np
import pytest

from nucleate.record import Recorder, RunError, read_checkpoints

ARRAYS = {"embed.weight": np.arange(6, dtype=np.float32).reshape(3, 2), "count": np.array(3)}


def save(file, shift=0.0):
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez(file, **{name: array + shift for name, array in ARRAYS.items()})


@pytest.mark.parametrize(
    "names",
    [
        ("step_000009.npz", "step_000010.npz", "step_000100.npz"),
        ("model-9.npz", "model-10.npz", "model-100.npz"),
        ("checkpoint-9/model.npz", "checkpoint-10/model.npz", "checkpoint-100/model.npz"),
        ("resnet50-step9-seed3.npz", "resnet50-step10-seed3.npz", "resnet50-step100-seed3.npz"),
        ("checkpoint-9/gpt2.npz", "checkpoint-10/gpt2.npz", "checkpoint-100/gpt2.npz"),
        *(tuple(f"{folder}{step}/model-00001-of-00002.npz" for step in (9, 10, 100)) for folder in ("checkpoint-", "")),
        ("run7/epoch=9.npz", "run7/epoch=10.npz", "run7/epoch=100.npz"),
    ],
)
def test_steps_are_in_their_order_whatever_they_are_called(tmp_path, names):
    for name, step in zip(names, (9, 10, 100), strict=True):
        save(tmp_path / name, step)
    (tmp_path / "config.json").write_text("{}")
    read = list(read_checkpoints(tmp_path))
    assert [step for step, _ in read] == [9, 10, 100]
    for step, arrays in read:
        assert np.array_equal(arrays["embed.weight"], ARRAYS["embed.weight"] + step)


def test_checkpoints_are_logged_under_other_names(tmp_path):
    for step in (0, 20, 100):
        save(tmp_path / "saved" / f"step_{step}.npz", step)
    with Recorder(tmp_path / "run") as recorder:
        for step, arrays in read_checkpoints(tmp_path / "saved", {"embedding": "embed.weight"}):
            recorder.log(step, **arrays)
    record = recorder.run.record().load()
    assert record.embedding.dims == ("member", "step", "token", "dim")
    assert np.array_equal(record.embedding.sel(step=20)[0], ARRAYS["embed.weight"] + 20)


def test_what_is_wrong_is_named(tmp_path):
    with pytest.raises(RunError, match="nowhere is not a folder of checkpoints"):
        list(read_checkpoints(tmp_path / "nowhere"))
    with pytest.raises(RunError, match=r"has no checkpoints: no file that matches '\*\*/\*' is one of \.npz"):
        list(read_checkpoints(tmp_path))
    save(tmp_path / "step_1.npz")
    with pytest.raises(RunError, match=r"step_1\.npz has no 'wte'; it has \['embed\.weight', 'count'\]"):
        list(read_checkpoints(tmp_path, {"embedding": "wte"}))
    save(tmp_path / "final.npz")
    with pytest.raises(
        RunError, match=r"final\.npz has no step in its name, such as step_100\.npz; rename it, or leave"
    ):
        list(read_checkpoints(tmp_path))
    assert [step for step, _ in read_checkpoints(tmp_path, pattern="step_*")] == [1]
    save(tmp_path / "old" / "step_1.npz")
    with pytest.raises(RunError, match=r"step_1\.npz are both of step 1; choose one kind of file by `pattern`"):
        list(read_checkpoints(tmp_path, pattern="**/step_*"))


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", pytest.param(".pt", marks=pytest.mark.torch)])
def test_a_damaged_file_is_named(tmp_path, suffix):
    if suffix != ".npz":
        pytest.importorskip({".pt": "torch"}.get(suffix, "safetensors"))
    save(tmp_path / "step_1.npz")
    content = (tmp_path / "step_1.npz").read_bytes()
    (tmp_path / "step_1.npz").unlink()
    for damaged in (content[: len(content) // 2], b"", b"\x80" * 99):
        (tmp_path / f"step_2{suffix}").write_bytes(damaged)
        with pytest.raises(RunError, match=rf"step_2\{suffix} cannot be read: ") as caught:
            list(read_checkpoints(tmp_path))
        assert "\n" not in str(caught.value)


def test_safetensors(tmp_path):
    save_file = pytest.importorskip("safetensors.numpy").save_file
    save_file({"a": ARRAYS["embed.weight"], "b": np.array([True, False])}, tmp_path / "checkpoint-5.safetensors")
    ((step, arrays),) = read_checkpoints(tmp_path)
    assert step == 5
    assert np.array_equal(arrays["a"], ARRAYS["embed.weight"])
    assert arrays["b"].tolist() == [True, False]


@pytest.mark.parametrize("module", ["safetensors", "torch"])
def test_a_missing_package_is_named_with_its_command(tmp_path, monkeypatch, module):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    file = tmp_path / {"torch": "step_1.pt", "safetensors": "step_1.safetensors"}[module]
    file.write_bytes(b"")
    with pytest.raises(ImportError, match=rf"step_1\..* needs .*: pip install {module}"):
        list(read_checkpoints(tmp_path))


@pytest.mark.torch
def test_state_dicts_of_pytorch(tmp_path):
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(2, 3).to(torch.bfloat16)
    for step in (100, 5):
        torch.save({"model": model.state_dict(), "step": step}, tmp_path / f"model-{step}.pt")
    read = list(read_checkpoints(tmp_path, {"weights": "model.weight"}))
    assert [step for step, _ in read] == [5, 100]
    assert np.array_equal(read[0][1]["weights"], model.weight.detach().float().numpy())
    safetensors = pytest.importorskip("safetensors.torch")
    safetensors.save_file(model.state_dict(), tmp_path / "model-7.safetensors")
    ((_, arrays),) = read_checkpoints(tmp_path, pattern="*.safetensors")
    assert np.array_equal(arrays["weight"], read[0][1]["weights"])


@pytest.mark.torch
def test_a_file_of_pytorch_that_holds_code_is_not_loaded(tmp_path):
    torch = pytest.importorskip("torch")
    torch.save(torch.nn.Linear(2, 3), tmp_path / "model-1.pt")
    with pytest.raises(
        RunError, match=r"model-1\.pt cannot be read: .* more than weights\. Save model\.state_dict\(\) alone"
    ):
        list(read_checkpoints(tmp_path))


@pytest.mark.torch
def test_a_loop_of_pytorch(tmp_path):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    embedding = torch.nn.Parameter(torch.randn(5, 2))
    optimizer = torch.optim.SGD([embedding], lr=0.1)
    with Recorder(tmp_path / "run") as recorder:
        for step in range(4):
            loss = (embedding**2).mean()
            optimizer.zero_grad()
            loss.backward()
            recorder.log(step, loss=loss, embedding=embedding, gradient=embedding.grad)
            optimizer.step()
    record = recorder.run.record().load()
    assert np.all(np.diff(record.loss[0]) < 0)
    moved = record.embedding.diff("step").values
    assert np.allclose(moved, -0.1 * record.gradient.values[:, :-1], atol=1e-6)
