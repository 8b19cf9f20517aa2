"""Measures joint readers on sources and families that were in no training.

    python joint_evaluate.py --data DATA --model now=../models/reader/joint.onnx
    python joint_evaluate.py --data DATA --model half=build/half.safetensors --model all=build/all.safetensors --questions 400

Prints a Markdown table: one row a measure, one column a reader, each figure with its 95 % bootstrap
interval over questions, and a second one by source. The first column is the shipped encoder's
cosine alone, on the same items. With a foreign passage beside them near misses and false claims must
not be told from true ones (.5): otherwise the style of their writer was learnt.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from data import read_jsonl
from encoder import encode, load_encoder, load_tokenizer
from joint import Batch, Layout, collate, load_joint
from joint_data import (
    LEFT_OUT_SOURCES,
    Docs,
    Group,
    Reading,
    split_sentences,
    turned_groups,
)
from measures import auc, interval

RESAMPLES = 300


@dataclass
class Scores:
    """What a reader makes of readings, in their order."""

    passage: np.ndarray
    sentences: list[np.ndarray]
    support: np.ndarray


Reader = Callable[[Sequence[Reading]], Scores]


def joint_reader(path: Path, batch: int = 24) -> Reader:
    """Reads with exported weights (.onnx, int8) or with those of the training."""
    layout = Layout(load_tokenizer())
    if path.suffix == ".onnx":
        import onnxruntime

        session = onnxruntime.InferenceSession(str(path))
        outputs = ["passage", "sentence", "support"]

        def run(b: Batch) -> list[np.ndarray]:
            feeds = {name: getattr(b, name).numpy() for name in ("query", "spans", "body")}
            ids = {
                "input_ids": b.ids.numpy(),
                "attention_mask": b.mask.numpy().astype(np.int64),
            }
            return session.run(outputs, feeds | ids)
    else:
        model = load_joint(path)

        @torch.inference_mode()
        def run(b: Batch) -> list[np.ndarray]:
            with torch.autocast("cpu", torch.bfloat16):
                return [part.float().numpy() for part in model(b)]

    def read(readings: Sequence[Reading]) -> Scores:
        rows = [layout.of(r.query, r.above, r.sentences) for r in readings]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at].ids))
        found = Scores(np.zeros(len(rows)), [np.zeros(0)] * len(rows), np.zeros(len(rows)))
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            passage, sentence, support = run(collate([rows[at] for at in chosen]))
            for row, at in enumerate(chosen):
                found.passage[at], found.support[at] = passage[row], support[row]
                found.sentences[at] = sentence[row, : len(rows[at].sentences)]
        return found

    return read


def cosine_reader() -> Reader:
    """Reads with the cosines of the query with passage and sentences; each text is encoded once."""
    encoder, tokenizer = load_encoder(), load_tokenizer()
    known: dict[str, np.ndarray] = {}

    def vectors(texts: Sequence[str]) -> np.ndarray:
        new = [t for t in dict.fromkeys(texts) if t not in known]
        if new:
            known.update(zip(new, encode(encoder, tokenizer, new)))
        return np.stack([known[t] for t in texts])

    def read(readings: Sequence[Reading]) -> Scores:
        texts = [". ".join(filter(None, (r.above, " ".join(r.sentences)))) for r in readings]
        asked = vectors([r.query for r in readings])
        near = (asked * vectors(texts)).sum(1)
        # Sentences only where they are asked for: they are many.
        sentences = [
            vectors(r.sentences) @ q if r.answers and r.sentences else np.zeros(0)
            for r, q in zip(readings, asked)
        ]
        return Scores(near, sentences, near)

    return read


@dataclass
class Measure:
    """A figure over questions, each with some of the readings."""

    name: str
    readings: list[Reading]
    # Of each question: its source, and the indices of its readings.
    sources: list[str]
    members: list[list[int]]
    # From the scores and the questions chosen.
    value: Callable[[Scores, Sequence[int]], float]


def sample(items: list, most: int, seed: int = 5) -> list:
    rng = np.random.default_rng(seed)
    return [items[int(at)] for at in sorted(rng.permutation(len(items))[:most])]


def auc_measure(
    name: str, groups: Sequence[tuple[str, Sequence[Reading]]], head: str = "passage"
) -> Measure:
    """AUC over all readings, whose label says what is right."""
    readings = [r for _, group in groups for r in group]
    at, members = 0, []
    for _, group in groups:
        members.append(list(range(at, at + len(group))))
        at += len(group)

    def value(scores: Scores, chosen: Sequence[int]) -> float:
        inside = [i for c in chosen for i in members[c]]
        labels = [readings[i].label > 0.5 for i in inside]
        return auc(getattr(scores, head)[inside], labels)

    return Measure(name, readings, [source for source, _ in groups], members, value)


def pool_measures(data: Path, docs: Docs, sources: Sequence[str]) -> list[Measure]:
    """Questions whose passages were all judged, passages in the order of their scores."""
    pool = [q for q in read_jsonl(data / "docs" / "pool.jsonl") if q["source"] in sources]
    groups = [
        (
            q["source"],
            [docs.read(q["question"], p, q["answers"].get(p) == 2) for p in q["pool"]],
        )
        for q in pool
    ]
    if not groups:
        return []
    passages = auc_measure("pools: passage answers fully", groups)
    labels = [[r.label > 0.5 for r in group] for _, group in groups]
    answerable = [any(each) for each in labels]
    measures = [passages]

    def among(k: int) -> Callable[[Scores, Sequence[int]], float]:
        def value(scores: Scores, chosen: Sequence[int]) -> float:
            hits = []
            for c in chosen:
                order = np.argsort(-scores.passage[passages.members[c]], kind="stable")[:k]
                hits += [any(labels[c][at] for at in order)] if answerable[c] else []
            return float(np.mean(hits)) if hits else float("nan")

        return value

    def there(scores: Scores, chosen: Sequence[int]) -> float:
        best = [scores.passage[passages.members[c]].max() for c in chosen]
        return auc(best, [answerable[c] for c in chosen])

    for name, value in (
        *((f"pools: a full answer among the first {k}", among(k)) for k in (1, 3, 5)),
        ("pools: is there a full answer at all", there),
    ):
        measures.append(Measure(name, passages.readings, passages.sources, passages.members, value))
    return measures


def document_measures(docs: Docs, most: int) -> list[Measure]:
    user = [q for q in docs.questions if q["words"] == "user"]
    asked = sample([q for q in docs.questions if q["answerable"] and q["sentences"]], most)
    answered = [docs.read(q["question"], q["passage"], 1.0, q["sentences"]) for q in asked]

    def chosen_right(scores: Scores, chosen: Sequence[int]) -> float:
        return float(
            np.mean(
                [
                    len(scores.sentences[c]) > 0
                    and int(scores.sentences[c].argmax()) in (answered[c].answers or ())
                    for c in chosen
                ]
            )
        )

    own = [[at] for at in range(len(asked))]
    sources = [q["source"] for q in asked]
    measures = [
        Measure("sentence chosen in the right passage", answered, sources, own, chosen_right)
    ]
    both = [
        *((q, 0.0) for q in sample([q for q in user if not q["answerable"]], most)),
        *((q, 1.0) for q in sample([q for q in user if q["answerable"]], most)),
    ]
    claims = [(c, float(c["supported"])) for c in sample(docs.claims, most)]
    ids = list(docs.documents)
    rng = np.random.default_rng(3)

    def foreign(_: str) -> str:
        return ids[int(rng.integers(len(ids)))]

    def beside(items: Sequence[tuple[dict, float]], text: str, place: Callable[[str], str]):
        return [
            (i["source"], [docs.read(i[text], place(i["passage"]), label)]) for i, label in items
        ]

    def grouped(groups: Sequence[Group]) -> list[tuple[str, Sequence[Reading]]]:
        above = {d.above: key.rsplit("-", 1)[0] for key, d in docs.documents.items()}
        return [(above.get(g.readings[0].above, ""), g.readings) for g in groups]

    turned = turned_groups(docs, np.random.default_rng(7), most)
    return [
        *measures,
        auc_measure("question against near miss", beside(both, "question", str)),
        auc_measure("– beside a foreign passage (.5)", beside(both, "question", foreign)),
        auc_measure("answer put in", grouped(sample(docs.near_miss_groups(), most))),
        auc_measure(
            "claims, passage changed",
            grouped(sample(docs.claim_groups(), most)),
            "support",
        ),
        auc_measure("claims, claim or passage turned", grouped(turned), "support"),
        auc_measure("claims beside their passage", beside(claims, "claim", str), "support"),
        auc_measure(
            "– beside a foreign passage (.5)",
            beside(claims, "claim", foreign),
            "support",
        ),
    ]


def family_measures(data: Path, family: str, most: int) -> list[Measure]:
    records = sample(list(read_jsonl(data / "evidence" / f"{family}.jsonl")), most)
    groups = [
        (
            family,
            [
                Reading(
                    r["question"],
                    p["title"] or "",
                    split_sentences(p["text"]) or ("",),
                    float(p["relevant"] or 0),
                )
                for p in r["passages"]
            ],
        )
        for r in records
    ]
    passages = auc_measure(f"{family}: passage", groups)
    labels = [r["answerable"] for r in records]

    def answered(scores: Scores, chosen: Sequence[int]) -> float:
        best = [scores.passage[passages.members[c]].max() for c in chosen]
        return auc(best, [labels[c] for c in chosen])

    sets = Measure(
        f"{family}: set",
        passages.readings,
        passages.sources,
        passages.members,
        answered,
    )
    return [*([sets] if len(set(labels)) == 2 else []), passages]


def claim_measure(data: Path, most: int) -> Measure:
    """Claims of AttributionBench; several passages are read one by one, and the best counts."""
    records = sample(list(read_jsonl(data / "claims" / "attributionbench-dev.jsonl")), most)
    groups = [
        (
            "attributionbench",
            [
                Reading(
                    r["claim"],
                    "",
                    split_sentences(text) or ("",),
                    float(r["supported"]),
                )
                for text in r["evidence"]
            ],
        )
        for r in records
    ]
    each = auc_measure("attributionbench: claims", groups, "support")

    def value(scores: Scores, chosen: Sequence[int]) -> float:
        best = [scores.support[each.members[c]].max() for c in chosen]
        return auc(best, [records[c]["supported"] for c in chosen])

    return Measure(each.name, each.readings, each.sources, each.members, value)


def with_cosine(joint: Scores, cosine: Scores) -> Scores:
    """The order that is used: the passage, half its best sentence and six times the cosine."""
    best = np.array([s.max() if len(s) else -9.0 for s in joint.sentences])
    return Scores(joint.passage + 0.5 * best + 6 * cosine.passage, joint.sentences, joint.support)


def figure(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}".lstrip("0")


def with_interval(measure: Measure, scores: Scores) -> str:
    count = len(measure.members)
    low, high = interval(count, lambda chosen: measure.value(scores, chosen), RESAMPLES)
    return f"{figure(measure.value(scores, range(count)))} [{figure(low)}, {figure(high)}]"


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", action="append", required=True, metavar="NAME=FILE")
    parser.add_argument("--sources", nargs="*", default=list(LEFT_OUT_SOURCES))
    parser.add_argument("--questions", type=int, default=300, help="items a measure")
    parser.add_argument("--families", nargs="*", default=["wikiqa-dev", "trecqa-dev", "rgb-refine"])
    args = parser.parse_args()
    readers = [
        (name, joint_reader(Path(path))) for name, path in (m.split("=") for m in args.model)
    ]
    cosine = cosine_reader()
    docs = Docs(args.data, args.sources)
    pools = pool_measures(args.data, docs, args.sources)
    measures = [*pools, *document_measures(docs, args.questions)]
    measures += [m for f in args.families for m in family_measures(args.data, f, args.questions)]
    measures.append(claim_measure(args.data, args.questions))
    names = ["cosine", *(name for name, _ in readers), f"{readers[-1][0]}, with cosine"]
    print(line(["measure", "questions", *names]))
    print(line(["---"] * (len(names) + 2)), flush=True)
    known: dict[int, list[Scores]] = {}
    by_source = []
    for measure in measures:
        key = id(measure.readings)
        if key not in known:
            plain = cosine(measure.readings)
            read = [reader(measure.readings) for _, reader in readers]
            known = {key: [plain, *read, with_cosine(read[-1], plain)]}
        every = range(len(measure.members))
        cells = []
        for scores in known[key]:
            cells.append(with_interval(measure, scores))
        print(line([measure.name, str(len(every)), *cells]), flush=True)
        row = [measure.name]
        for source in args.sources:
            inside = [at for at in every if measure.sources[at] == source]
            pair = [measure.value(known[key][at], inside) for at in (0, -2)] if inside else []
            row.append(" / ".join(figure(v) for v in pair) or "–")
        if any(cell != "–" for cell in row[1:]):
            by_source.append(line(row))
    print(f"\nBy source, cosine / {readers[-1][0]}:\n")
    print(line(["measure", *args.sources]))
    print(line(["---"] * (len(args.sources) + 1)))
    print("\n".join(by_source))


if __name__ == "__main__":
    main()
