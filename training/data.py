"""Reads the labeled sets and turns them into the groups that training and evaluation share.

A group is one question with its candidate passages. A passage is labeled true, false or
None (unknown); the set as a whole may be labeled as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Families whose licence lets weights that ship be trained on them.
TRAINABLE = ("popqa", "triviaqa", "clapnq", "nomiracl-en", "squad2", "nq", "mtrag")
# Families that are only ever measured on.
MEASURED_ONLY = ("rgb-refine", "wikiqa-dev", "trecqa-dev")
COLLECTIONS = {"nfcorpus": "dev", "cacm": "test"}


@dataclass
class Passage:
    text: str
    relevant: bool | None
    # The sentences that people chose as the answer, where the set knows them.
    selected: list[str] = field(default_factory=list)


@dataclass
class Group:
    question: str
    passages: list[Passage]
    # Is the question answered by any of the passages?
    answerable: bool | None


def read_jsonl(path: Path) -> Iterator[dict]:
    """Yields the records of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def titled(title: str, text: str) -> str:
    """Returns a passage as the encoder reads it: its title first, once."""
    title = title.strip()
    return text if not title or text.lower().startswith(title.lower()) else f"{title}. {text}"


def _evidence(path: Path) -> list[Group]:
    return [
        Group(
            record["question"],
            [
                Passage(
                    titled(p["title"], p["text"]),
                    p["relevant"],
                    record.get("selected") or [],
                )
                for p in record["passages"]
            ],
            record["answerable"],
        )
        for record in read_jsonl(path)
    ]


def _qa(folder: Path) -> list[Group]:
    """Returns one group per question: the passage it was asked of, without its neighbors."""
    texts = {d["_id"]: titled(d["title"], d["text"]) for d in read_jsonl(folder / "corpus.jsonl")}
    return [
        Group(
            q["question"],
            [Passage(texts[q["doc_id"]], q["answerable"])],
            q["answerable"],
        )
        for q in read_jsonl(folder / "questions.jsonl")
    ]


def _conversations(path: Path) -> list[Group]:
    """Returns the first questions of conversations with what people found for them."""
    groups = {}
    for record in read_jsonl(path):
        if not record["history"] and record["evidence"]:
            passages = [Passage(titled(e["title"], e["text"]), True) for e in record["evidence"]]
            groups[record["question"]] = Group(record["question"], passages, True)
    return list(groups.values())


def load_family(data: Path, family: str) -> list[Group]:
    """Returns the groups of one family."""
    if family in ("squad2", "nq"):
        return _qa(data / "qa" / family)
    if family == "mtrag":
        return _conversations(data / "answers" / "mtrag.jsonl")
    return _evidence(data / "evidence" / f"{family}.jsonl")


@dataclass
class Collection:
    documents: dict[str, str]
    queries: dict[str, str]
    # Per query the grade of each judged document.
    grades: dict[str, dict[str, int]]


def load_collection(data: Path, name: str) -> Collection:
    """Returns a retrieval collection in BEIR's layout."""
    folder = data / "retrieval" / name
    grades: dict[str, dict[str, int]] = {}
    rows = (folder / "qrels" / f"{COLLECTIONS[name]}.tsv").read_text(encoding="utf-8").splitlines()
    for row in rows[1:]:
        query, document, grade = row.split("\t")
        grades.setdefault(query, {})[document] = int(grade)
    documents = {
        d["_id"]: titled(d.get("title") or "", d["text"])
        for d in read_jsonl(folder / "corpus.jsonl")
    }
    queries = {
        q["_id"]: q["text"] for q in read_jsonl(folder / "queries.jsonl") if q["_id"] in grades
    }
    return Collection(documents, queries, grades)
