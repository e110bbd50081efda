"""The trained policy, the checkpoint's player and the exported player agree."""

import numpy as np
import pytest
import torch

import baselines
from baselines.policy import OnnxBot, PolicyBot, encode_batch
from spades_env import NUM_ACTIONS, OBSERVATION_SIZE, VIEW, GameBatch
from training.export import export, load_policy


@pytest.fixture(scope="module")
def exported(checkpoint, tmp_path_factory):
    return export(checkpoint, tmp_path_factory.mktemp("export") / "policy.onnx")


@pytest.fixture(scope="module")
def views():
    """10,080 positions: random bids and plays, every decision of 180 deals."""
    batch = GameBatch(180, seed=8)
    bot = baselines.make("random")
    views = np.zeros((56, 180), VIEW)
    actions = np.zeros(180, np.int64)
    rng = np.random.default_rng(0)
    for step in range(56):
        batch.views(views[step])
        keys = rng.integers(2**64, size=180, dtype=np.uint64)
        bot.act_batch(views[step], keys, actions)
        batch.step(actions)
    return views.ravel()


def torch_logits(checkpoint, views):
    policy, _ = load_policy(checkpoint)
    observations = np.zeros((len(views), OBSERVATION_SIZE), np.int8)
    masks = np.zeros((len(views), NUM_ACTIONS), np.int8)
    encode_batch(views, observations, masks)
    with torch.no_grad():
        return policy(torch.from_numpy(observations), torch.from_numpy(masks)).numpy()


def actions_of(bot, views):
    actions = np.zeros(len(views), np.int64)
    bot.act_batch(views, np.zeros(len(views), np.uint64), actions)
    return actions


def test_trained_checkpoint_and_exported_players_choose_the_same(
    checkpoint, exported, views
):
    assert len(views) >= 10_000
    expected = torch_logits(checkpoint, views).argmax(axis=1)
    assert np.array_equal(actions_of(PolicyBot.load(checkpoint), views), expected)
    assert np.array_equal(actions_of(baselines.make(exported), views), expected)


def test_logits_agree(checkpoint, exported, views):
    expected = torch_logits(checkpoint, views)
    for player in (PolicyBot.load(checkpoint), OnnxBot(exported)):
        logits = player.logits(views)
        legal = expected > -1e8
        assert np.array_equal(logits > -1e8, legal)
        assert logits[legal] == pytest.approx(expected[legal], abs=1e-5)


def test_a_decision_does_not_depend_on_its_batch(checkpoint, exported, views):
    for player in (PolicyBot.load(checkpoint), OnnxBot(exported)):
        whole = actions_of(player, views[:500])
        assert [player.act(view) for view in views[:500]] == whole.tolist()


def test_a_run_directory_plays_its_checkpoint(checkpoint, views):
    run, file = baselines.make(checkpoint.parent), baselines.make(checkpoint)
    assert np.array_equal(actions_of(run, views), actions_of(file, views))


@pytest.mark.parametrize("keep", [0, 100, 5000])
def test_a_cut_off_export_is_refused(exported, tmp_path, keep):
    path = tmp_path / "cut.onnx"
    path.write_bytes(exported.read_bytes()[:keep])
    with pytest.raises(ValueError, match="damaged or not an ONNX file"):
        OnnxBot(path)


def test_an_export_for_another_observation_is_refused(exported, tmp_path):
    import onnx

    model = onnx.load(exported)
    for entry in model.metadata_props:
        if entry.key == "observation_id":
            entry.value = "0123456789ab"
    onnx.save(model, tmp_path / "other.onnx")
    with pytest.raises(ValueError, match="observation 0123456789ab"):
        OnnxBot(tmp_path / "other.onnx")


def test_export_refuses_other_names_and_missing_checkpoints(checkpoint, tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.onnx"):
        export(checkpoint, tmp_path / "policy.bin")
    with pytest.raises(FileNotFoundError, match="no checkpoint file"):
        export(tmp_path / "none.safetensors", tmp_path / "policy.onnx")
    with pytest.raises(FileNotFoundError, match="no exported policy"):
        baselines.make(tmp_path / "none.onnx")
