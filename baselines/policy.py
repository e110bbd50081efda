"""Trained policies as players: from a checkpoint, or from an exported ONNX file."""

from __future__ import annotations

import os

import numpy as np

from baselines.bot import Bot, check_batch
from baselines.checkpoint import check_ids, read_checkpoint
from spades_env.game import BID, BIDDING, NUM_ACTIONS
from spades_env.jit import jit
from spades_env.observation import (
    OBSERVATION_SIZE,
    encode,
    encode_mask,
    observation_layout,
    scale_of,
)
from spades_env.rules import STANDARD, Rules

# One perceptron: weights and biases of its layers, each flattened into one array.
Perceptron = tuple[np.ndarray, np.ndarray, np.ndarray]

ONNX_BLOCK = 64  # rows that onnxruntime is given at a time


class PolicyBot(Bot):
    """A policy network, played in compiled code without torch.

    The network is two perceptrons with ReLU between their layers: `bid` gives a logit
    to each bid and `play` to each card. The action is the best legal one.

    A row is always summed in the same order, so an action depends neither on the batch
    nor on the machine.

    Args:
        arrays: `bid.0.weight` (out, in), `bid.0.bias`, `bid.1.weight`, ... and the same
            for `play`, float32.
        name: of the player.
    """

    def __init__(self, arrays: dict[str, np.ndarray], name: str = "policy") -> None:
        self.name = name
        self._bid = _perceptron(arrays, "bid", NUM_ACTIONS - BID)
        self._play = _perceptron(arrays, "play", BID)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], rules: Rules | None = STANDARD
    ) -> PolicyBot:
        """The policy of a checkpoint file or run directory.

        Errors are those of `read_checkpoint`.
        """
        arrays, _ = read_checkpoint(path, rules)
        return cls(arrays, os.fspath(path))

    def act_batch(
        self, views: np.ndarray, keys: np.ndarray, actions: np.ndarray
    ) -> None:
        """See `Bot.act_batch`."""
        check_batch(views, keys, actions)
        _act_batch(views, self._bid, self._play, actions)

    def logits(self, views: np.ndarray) -> np.ndarray:
        """float32 logits of the legal actions, (n, 66); -inf elsewhere."""
        out = np.full((len(views), NUM_ACTIONS), -np.inf, np.float32)
        _logits_batch(views, self._bid, self._play, out)
        return out


def _perceptron(arrays: dict[str, np.ndarray], name: str, outputs: int) -> Perceptron:
    sizes = [OBSERVATION_SIZE]
    weights: list[np.ndarray] = []
    biases = []
    while f"{name}.{len(weights)}.weight" in arrays:
        weight = arrays[f"{name}.{len(weights)}.weight"]
        bias = arrays.get(f"{name}.{len(weights)}.bias", np.zeros(0))
        if weight.shape != (len(bias), sizes[-1]):
            raise ValueError(
                f"layer {len(weights)} of the {name} network has weights of shape"
                f" {weight.shape} and {len(bias)} biases; its input has {sizes[-1]}"
            )
        sizes.append(len(bias))
        weights.append(weight.astype(np.float32).T)
        biases.append(bias.astype(np.float32))
    if sizes[-1] != outputs or not weights:
        raise ValueError(f"the {name} network must end in {outputs} logits: {sizes}")
    weights[0] = weights[0] * scale_of(observation_layout())[:, None]
    return (
        np.array(sizes),
        np.concatenate([weight.ravel() for weight in weights]),
        np.concatenate(biases),
    )


@jit
def forward(network: Perceptron, observation: np.ndarray, logits: np.ndarray) -> None:
    """Write the network's outputs for one observation (int8) into `logits`."""
    sizes, weights, biases = network
    widest = sizes.max()
    values = np.zeros(widest, np.float32)
    sums = np.zeros(widest, np.float32)
    values[: len(observation)] = observation
    weight_at = 0
    bias_at = 0
    for layer in range(len(sizes) - 1):
        outputs = sizes[layer + 1]
        sums[:outputs] = biases[bias_at : bias_at + outputs]
        for k in range(sizes[layer]):
            value = values[k]
            if value != 0:  # most of the observation is zero, and half after ReLU
                row = weights[weight_at : weight_at + outputs]
                for j in range(outputs):
                    sums[j] += value * row[j]
            weight_at += outputs
        bias_at += outputs
        if layer < len(sizes) - 2:
            for j in range(outputs):
                values[j] = max(sums[j], np.float32(0))
    for j in range(len(logits)):
        logits[j] = sums[j]


@jit
def _legal_logits(
    view: np.record,
    bid: Perceptron,
    play: Perceptron,
    observation: np.ndarray,
    mask: np.ndarray,
    logits: np.ndarray,
) -> None:
    encode(view, observation)
    encode_mask(view, mask)
    if view.phase == BIDDING:
        forward(bid, observation, logits[BID:])
    else:
        forward(play, observation, logits[:BID])
    for action in range(NUM_ACTIONS):
        if not mask[action]:
            logits[action] = -np.inf


@jit
def _logits_batch(
    views: np.ndarray, bid: Perceptron, play: Perceptron, out: np.ndarray
) -> None:
    observation = np.zeros(OBSERVATION_SIZE, np.int8)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for i in range(len(views)):
        _legal_logits(views[i], bid, play, observation, mask, out[i])


@jit
def _act_batch(
    views: np.ndarray, bid: Perceptron, play: Perceptron, actions: np.ndarray
) -> None:
    observation = np.zeros(OBSERVATION_SIZE, np.int8)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    logits = np.zeros(NUM_ACTIONS, np.float32)
    for i in range(len(views)):
        _legal_logits(views[i], bid, play, observation, mask, logits)
        actions[i] = np.argmax(logits)


class OnnxBot(Bot):
    """A policy exported by `spades export`, played with onnxruntime.

    Rows are run in blocks of 64, padded, because the sums of a row depend on the shape
    of its batch.
    """

    def __init__(
        self, path: str | os.PathLike[str], rules: Rules | None = STANDARD
    ) -> None:
        if not os.path.isfile(path):
            raise FileNotFoundError(f"there is no exported policy {os.fspath(path)}")
        try:
            import onnxruntime
        except ImportError as error:
            raise ImportError(
                "exported policies need onnxruntime: pip install 'spades-env[export]'"
            ) from error
        self.name = os.fspath(path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(
                self.name, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime has no common base class for these
            raise ValueError(
                f"{path} is damaged or not an ONNX file: {error}"
            ) from error
        metadata = self._session.get_modelmeta().custom_metadata_map
        check_ids(path, metadata, rules)

    def act_batch(
        self, views: np.ndarray, keys: np.ndarray, actions: np.ndarray
    ) -> None:
        """See `Bot.act_batch`."""
        check_batch(views, keys, actions)
        actions[:] = self.logits(views).argmax(axis=1)

    def logits(self, views: np.ndarray) -> np.ndarray:
        """float32 logits of the legal actions, (n, 66); very low elsewhere."""
        rows = -(-len(views) // ONNX_BLOCK) * ONNX_BLOCK
        observations = np.zeros((rows, OBSERVATION_SIZE), np.int8)
        masks = np.zeros((rows, NUM_ACTIONS), np.int8)
        encode_batch(views, observations, masks)
        blocks = [
            self._session.run(
                ["logits"],
                {
                    "observation": observations[k : k + ONNX_BLOCK],
                    "action_mask": masks[k : k + ONNX_BLOCK],
                },
            )[0]
            for k in range(0, rows, ONNX_BLOCK)
        ]
        return np.concatenate(blocks)[: len(views)]


@jit
def encode_batch(
    views: np.ndarray, observations: np.ndarray, masks: np.ndarray
) -> None:
    """Observations and masks of many Views, into the first rows of the arrays."""
    for i in range(len(views)):
        encode(views[i], observations[i])
        encode_mask(views[i], masks[i])
