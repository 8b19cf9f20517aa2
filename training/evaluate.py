"""Measures exported encoders on the labeled sets and prints one table.

python evaluate.py --data DATA --model base=build/base --model tuned=build/tuned
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from data import (
    COLLECTIONS,
    MEASURED_ONLY,
    TRAINABLE,
    Group,
    load_collection,
    load_family,
)
from encoder import MAX_TOKENS, token_ids
from measures import auc, interval, ndcg

FAMILIES = tuple(f for f in TRAINABLE if f != "mtrag") + MEASURED_ONLY + tuple(COLLECTIONS)


class Scorer(Protocol):
    """Scores texts against a question; higher means nearer."""

    def scores(self, question: str, texts: Sequence[str]) -> np.ndarray: ...


class OnnxEncoder:
    """An exported encoder with a cache of vectors on disk, keyed by model and text."""

    def __init__(self, folder: Path, cache: Path | None, threads: int = 2) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = folder / "model.onnx"
        self.session = onnxruntime.InferenceSession(str(model), options)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        digest = hashlib.sha256(model.read_bytes()).hexdigest()[:16]
        self.file = cache / f"{digest}.npz" if cache else None
        self.vectors: dict[str, np.ndarray] = {}
        self.unsaved = 0
        if self.file and self.file.exists():
            stored = np.load(self.file)
            self.vectors = dict(zip(stored["keys"].tolist(), stored["vectors"]))

    def prepare(self, texts: Sequence[str]) -> None:
        """Encodes the texts that have no vector yet, one by one: so none is padded."""
        missing = [text for text in dict.fromkeys(texts) if _key(text) not in self.vectors]
        for text in missing:
            ids = np.array([token_ids(self.tokenizer, text, MAX_TOKENS)], dtype=np.int64)
            feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            self.vectors[_key(text)] = self.session.run(None, feed)[0][0]
        self.unsaved += len(missing)
        if self.unsaved > 500:
            self.save()

    def save(self) -> None:
        """Writes the vectors to the cache, if there is one and it lacks some."""
        if self.file and self.unsaved:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(
                self.file,
                keys=list(self.vectors),
                vectors=np.stack(list(self.vectors.values())),
            )
            self.unsaved = 0

    def matrix(self, texts: Sequence[str]) -> np.ndarray:
        self.prepare(texts)
        return np.stack([self.vectors[_key(text)] for text in texts])

    def scores(self, question: str, texts: Sequence[str]) -> np.ndarray:
        return self.matrix(texts) @ self.matrix([question])[0]


class Coverage:
    """The floor: the share of the question's words in the text, weighted by rarity."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = Counter(word for text in texts for word in set(_words(text)))
        self.total = len(texts)

    def scores(self, question: str, texts: Sequence[str]) -> np.ndarray:
        weights = {
            w: math.log(1 + self.total / (1 + self.counts[w])) for w in set(_words(question))
        }
        total = sum(weights.values()) or 1.0
        found = [set(_words(text)) for text in texts]
        return np.array(
            [sum(x for w, x in weights.items() if w in words) / total for words in found]
        )


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def sentences(text: str) -> list[str]:
    """Splits at a stop before a space; good enough for the tokenized text of the sets."""
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+", text) if s.strip()]


@dataclass
class Outcome:
    """Scores with their labels, per question."""

    scores: list[np.ndarray]
    labels: list[np.ndarray]

    def auc_of(self, chosen: np.ndarray) -> float:
        picked = [self.scores[at] for at in chosen], [self.labels[at] for at in chosen]
        return auc(np.concatenate(picked[0]), np.concatenate(picked[1]))

    @property
    def rarer(self) -> int:
        """Returns the size of the smaller class; with a handful, an AUC says nothing."""
        labels = np.concatenate(self.labels)
        return int(min(labels.sum(), (~labels).sum()))

    @property
    def value(self) -> float:
        return self.auc_of(np.arange(len(self.scores)))


def judge(groups: Sequence[Group], scorer: Scorer) -> dict[str, Outcome]:
    """Returns the scores of sets (their best passage), of passages and of sentences."""
    found = {name: Outcome([], []) for name in ("set", "passage", "sentence")}
    for group in groups:
        scores = scorer.scores(group.question, [p.text for p in group.passages])
        if group.answerable is not None:
            _add(found["set"], scores.max(keepdims=True), np.array([group.answerable]))
        known = np.array([p.relevant is not None for p in group.passages])
        if known.any():
            labels = np.array([bool(p.relevant) for p in group.passages])
            _add(found["passage"], scores[known], labels[known])
        for passage in group.passages:
            if passage.selected:
                parts = sentences(passage.text)
                chosen = [_is_selected(part, passage.selected) for part in parts]
                # Ranks within a passage are what selection needs.
                if 0 < sum(chosen) < len(parts):
                    raw = scorer.scores(group.question, parts)
                    _add(found["sentence"], raw - raw.mean(), np.array(chosen))
    return {name: outcome for name, outcome in found.items() if len(outcome.scores)}


def _add(outcome: Outcome, scores: np.ndarray, labels: np.ndarray) -> None:
    outcome.scores.append(scores)
    outcome.labels.append(labels)


def _is_selected(sentence: str, selected: Sequence[str]) -> bool:
    plain = "".join(_words(sentence))
    return bool(plain) and any(
        plain in other or other in plain for other in map(_joined, selected) if other
    )


def _joined(text: str) -> str:
    return "".join(_words(text))


def measured(families: Sequence[str], data: Path, limit: int) -> dict[str, list[Group]]:
    """Returns the groups of each family that is measured, at most so many of each."""
    drawn = {}
    for family in families:
        groups = load_family(data, family)
        chosen = np.sort(np.random.default_rng(7).permutation(len(groups))[:limit])
        drawn[family] = [groups[at] for at in chosen]
    return drawn


def search(data: Path, name: str, encoder: OnnxEncoder) -> np.ndarray:
    """Returns the nDCG@10 of each query of a collection, ranked by cosine."""
    collection = load_collection(data, name)
    ids = list(collection.documents)
    documents = encoder.matrix([collection.documents[i] for i in ids])
    place = {identity: at for at, identity in enumerate(ids)}
    gains = []
    for query, text in collection.queries.items():
        grades = {place[d]: g for d, g in collection.grades[query].items() if d in place}
        gains.append(ndcg(documents @ encoder.matrix([text])[0], grades))
    return np.array(gains)


def own_corpus(groups: Sequence[Group], encoder: OnnxEncoder) -> np.ndarray:
    """Returns the nDCG@10 of each question over all passages of its family."""
    texts = list(dict.fromkeys(p.text for g in groups for p in g.passages))
    matrix = encoder.matrix(texts)
    place = {text: at for at, text in enumerate(texts)}
    asked = [g for g in groups if g.answerable]
    queries = encoder.matrix([g.question for g in asked])
    grades = [{place[p.text]: 1 for p in g.passages if p.relevant} for g in asked]
    return np.array([ndcg(matrix @ q, g) for q, g in zip(queries, grades)])


def gain_of(ours: Outcome, theirs: Outcome, rounds: int) -> tuple[float, float]:
    """Returns the interval of the gain in AUC over another scorer on the same questions."""
    return interval(
        len(ours.scores),
        lambda chosen: ours.auc_of(chosen) - theirs.auc_of(chosen),
        rounds,
    )


def interval_of_mean(values: np.ndarray, rounds: int) -> tuple[float, float]:
    return interval(len(values), lambda chosen: float(values[chosen].mean()), rounds)


def report(
    data: Path,
    models: dict[str, OnnxEncoder],
    families: Sequence[str],
    rounds: int,
    limit: int,
) -> list[dict]:
    """Measures every scorer on every family; the first model is what the others are compared to."""
    rows = []
    first = next(iter(models))
    for family, groups in measured(
        [f for f in families if f not in COLLECTIONS], data, limit
    ).items():
        floor = Coverage([p.text for g in groups for p in g.passages])
        outcomes = {"coverage": judge(groups, floor)} | {
            n: judge(groups, m) for n, m in models.items()
        }
        for level in outcomes[first]:
            row: dict = {
                "family": family,
                "measure": f"auc {level}",
                "count": len(outcomes[first][level].scores),
            }
            for name, outcome in outcomes.items():
                if outcome[level].rarer < 20:
                    continue
                row[name] = outcome[level].value
                if name != "coverage":
                    row[f"{name} interval"] = interval(
                        len(outcome[level].scores), outcome[level].auc_of, rounds
                    )
                if name not in ("coverage", first):
                    row[f"{name} gain"] = gain_of(outcome[level], outcomes[first][level], rounds)
            if first in row:
                rows.append(row)
    for name in (c for c in (*COLLECTIONS, "nq") if c in families):
        groups = measured([name], data, limit)[name] if name == "nq" else None
        gains = {
            n: own_corpus(groups, m) if groups else search(data, name, m) for n, m in models.items()
        }
        row = {"family": name, "measure": "nDCG@10", "count": len(gains[first])}
        for model, values in gains.items():
            row[model] = float(values.mean())
            row[f"{model} interval"] = interval_of_mean(values, rounds)
            if model != first:
                row[f"{model} gain"] = interval_of_mean(values - gains[first], rounds)
        rows.append(row)
    return rows


def print_table(rows: Sequence[dict], models: Sequence[str]) -> None:
    """Prints the rows as a Markdown table."""
    columns = ["coverage", *models]
    gain = [f"gain over {models[0]}"] if len(models) > 1 else []
    print("| " + " | ".join(["family", "measure", "questions", *columns, *gain]) + " |")
    print("|" + "---|" * (3 + len(columns) + len(gain)))
    for row in rows:
        cells = [_cell(row, column) for column in columns]
        gains = [
            f"{row[m] - row[models[0]]:+.3f} [{row[f'{m} gain'][0]:+.3f}, {row[f'{m} gain'][1]:+.3f}]"
            for m in models[1:]
        ]
        shown = [
            row["family"],
            row["measure"],
            str(row["count"]),
            *cells,
            *(["; ".join(gains)] if gain else []),
        ]
        print("| " + " | ".join(shown) + " |")


def _cell(row: dict, column: str) -> str:
    if column not in row:
        return ""
    low, high = row.get(f"{column} interval", (math.nan, math.nan))
    return f"{row[column]:.3f}" + ("" if math.isnan(low) else f" [{low:.3f}, {high:.3f}]")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the labeled sets")
    parser.add_argument(
        "--model",
        action="append",
        required=True,
        metavar="NAME=FOLDER",
        help="first one is the base",
    )
    parser.add_argument("--families", nargs="*", default=FAMILIES)
    parser.add_argument("--cache", type=Path, help="folder that keeps vectors between runs")
    parser.add_argument(
        "--questions",
        type=int,
        default=10**6,
        help="measure at most so many of a family",
    )
    parser.add_argument("--rounds", type=int, default=500, help="bootstrap rounds")
    parser.add_argument("--json", type=Path, help="write the rows here as well")
    options = parser.parse_args()
    folders = dict(given.split("=", 1) for given in options.model)
    models = {name: OnnxEncoder(Path(folder), options.cache) for name, folder in folders.items()}
    rows = report(options.data, models, options.families, options.rounds, options.questions)
    for model in models.values():
        model.save()
    print_table(rows, list(models))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
