"""Makes the examples that the joint reader is trained on, in groups that differ in the answer alone.

A group holds one question or claim with passages of which some carry it and some do not: the
answering sentences taken out, a sentence changed or put in, or a neighbor that search ranks high.
Style can therefore not tell the label: the same words stand on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from data import read_jsonl

# Sources of `docs/` whose licence lets weights that ship be trained on them.
FREE_SOURCES = (
    "18f-handbook",
    "digitalgov",
    "uswds",
    "cooking",
    "rust-book",
    "laravel",
    "prometheus",
    "helm",
    "libreoffice",
    "python-docs",
    "powershell",
    "opensource-guide",
    "react",
)
# Sources that are only ever measured on.
LEFT_OUT_SOURCES = (
    "gimp",
    "debian-dev-ref",
    "psychology",
    "microbiology",
    "basecamp-handbook",
    "madetech-handbook",
)


@dataclass(frozen=True)
class Reading:
    """One sequence: a question or claim with the sentences of one passage."""

    query: str
    above: str
    sentences: tuple[str, ...]
    # Does the passage answer the question, or support the claim? 0-1.
    label: float
    # Indices of the answering sentences; None where they are not known.
    answers: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Group:
    """Readings of one question or claim, which stay together in a batch."""

    kind: str  # "question" or "claim"
    family: str
    readings: tuple[Reading, ...]
    # Nothing but style could tell these apart: all have to score alike, and low.
    alike: bool = False


@dataclass
class Document:
    above: str
    sentences: tuple[str, ...]
    text: str
    neighbors: list[str] = field(default_factory=list)


_SENTENCE = re.compile(
    r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])|\n{2,}|\n(?=[-*|#>] |\d+[.)] )"
)


def split_sentences(text: str) -> tuple[str, ...]:
    """Cuts plain text roughly into sentences; lines of lists and tables stand alone."""
    return tuple(part.strip() for part in _SENTENCE.split(text) if part.strip())


def headed(title: str | None, heading: str | None) -> str:
    return ". ".join(dict.fromkeys(part for part in (title, heading) if part))


def without(reading: Reading) -> Reading | None:
    """Returns the passage less its answering sentences; None if nothing is left."""
    taken = set(reading.answers or ())
    rest = tuple(s for at, s in enumerate(reading.sentences) if at not in taken)
    if not taken or not rest:
        return None
    return replace(reading, sentences=rest, label=0.0, answers=())


class Docs:
    """`docs/`: questions in users' words, near misses, claims and what turns their label."""

    def __init__(self, data: Path, sources: Sequence[str]) -> None:
        folder = data / "docs"
        self.documents = {
            p["id"]: Document(
                headed(p["title"], p["heading"]),
                tuple(p.get("sentences") or split_sentences(p["text"])),
                p["text"],
            )
            for p in read_jsonl(folder / "passages.jsonl")
            if p["source"] in sources
        }
        self.questions = [
            q for q in read_jsonl(folder / "questions.jsonl") if q["source"] in sources
        ]
        self.contrasts = [
            c for c in read_jsonl(folder / "contrasts.jsonl") if c["source"] in sources
        ]
        self.claims = [c for c in read_jsonl(folder / "claims.jsonl") if c["source"] in sources]

    def read(
        self,
        query: str,
        passage: str,
        label: float,
        answers: Sequence[int] | None = None,
        change: Callable[[list[str]], list[str]] | None = None,
    ) -> Reading:
        document = self.documents[passage]
        sentences = list(document.sentences)
        if change is not None:
            sentences = change(sentences)
        return Reading(
            query,
            document.above,
            tuple(sentences),
            label,
            None if answers is None else tuple(answers),
        )

    def question_groups(
        self, rng: np.random.Generator, neighbors: dict[str, list[str]]
    ) -> list[Group]:
        """Answerable questions with their passage, and with one that does not answer."""
        groups = []
        for q in self.questions:
            if not q["answerable"] or not q["sentences"]:
                continue
            answered = self.read(q["question"], q["passage"], 1.0, q["sentences"])
            readings = [answered]
            near = neighbors.get(q["id"]) or []
            stripped = without(answered)
            # Few neighbors answer as well, and nobody has looked which.
            for rival in rng.permutation(near)[:2]:
                readings.append(self.read(q["question"], str(rival), 0.05, ()))
            if stripped is not None and (not near or rng.random() < 0.5):
                readings.append(stripped)
            groups.append(Group("question", "docs", tuple(readings)))
        return groups

    def near_miss_groups(self) -> list[Group]:
        """Near misses with their passage, and with the answering sentence put into it."""
        groups = []
        for c in self.contrasts:
            sentence, after = c["answering"]["sentence"], c["answering"]["after"]
            place = after + 1

            def insert(s: list[str], place: int = place, sentence: str = sentence) -> list[str]:
                return [*s[:place], sentence, *s[place:]]

            groups.append(
                Group(
                    "question",
                    "near misses",
                    (
                        self.read(c["unanswered"], c["passage"], 0.0, ()),
                        self.read(c["unanswered"], c["passage"], 1.0, (place,), insert),
                    ),
                )
            )
        return groups

    def claim_groups(self) -> list[Group]:
        """True and false claims with their passage, and with the sentence that turns the label."""
        groups = []
        for c in self.contrasts:
            for claim, label, turn in (
                (c["true_claim"], 1.0, c["makes_it_false"]),
                (c["false_claim"], 0.0, c["makes_it_true"]),
            ):
                if not claim or not turn:
                    continue
                index, sentence = turn["index"], turn["sentence"]

                def edit(s: list[str], index: int = index, sentence: str = sentence) -> list[str]:
                    return [sentence if at == index else each for at, each in enumerate(s)]

                groups.append(
                    Group(
                        "claim",
                        "docs",
                        (
                            self.read(claim, c["passage"], label),
                            self.read(claim, c["passage"], 1.0 - label, None, edit),
                        ),
                    )
                )
        return groups

    def foreign_groups(self, rng: np.random.Generator, share: float) -> list[Group]:
        """Question and near miss, true and false claim, beside a passage that has nothing of them."""
        keys = list(self.documents)
        asked = {q["passage"]: q["question"] for q in self.questions if q["answerable"]}
        groups = []
        for c in self.contrasts:
            pairs = (
                ("question", asked.get(c["passage"]), c["unanswered"]),
                ("claim", c["true_claim"], c["false_claim"]),
            )
            for kind, first, second in pairs:
                foreign = keys[int(rng.integers(len(keys)))]
                if not first or not second or foreign == c["passage"] or rng.random() > share:
                    continue
                readings = tuple(self.read(each, foreign, 0.0, ()) for each in (first, second))
                groups.append(Group(kind, "foreign", readings, alike=True))
        return groups


# Words that turn a claim round where one stands for the other.
OPPOSITES = (
    ("more", "less"), ("above", "below"), ("before", "after"), ("first", "last"),
    ("enable", "disable"), ("enabled", "disabled"), ("allow", "forbid"), ("allows", "forbids"),
    ("allowed", "forbidden"), ("increase", "decrease"), ("increases", "decreases"),
    ("minimum", "maximum"), ("higher", "lower"), ("earlier", "later"), ("left", "right"),
    ("start", "end"), ("always", "never"), ("most", "least"), ("required", "optional"),
    ("true", "false"), ("top", "bottom"), ("public", "private"), ("local", "remote"),
    ("up", "down"), ("inside", "outside"), ("open", "closed"), ("with", "without"),
    ("all", "none"), ("larger", "smaller"), ("faster", "slower"), ("old", "new"),
    ("long", "short"), ("high", "low"), ("add", "remove"), ("include", "exclude"),
)  # fmt: skip
_OPPOSITE = {a: b for pair in OPPOSITES for a, b in (pair, pair[::-1])}
_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z]\w+")
_TERM = re.compile(r"\b[a-z]{5,}\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)")
_NOT = re.compile(r"\b(is|are|was|were|can|will|must|should|may|does|do|did|has|have)( not|n't)\b")
_VERB = re.compile(r"\b(is|are|was|were|can|will|must|should|may)\b(?! not|n't)")

Change = Callable[[str], str]


def exchanged(a: str, b: str) -> Change:
    """Returns what puts each of two words in the other's place."""
    both = re.compile(rf"(?<!\w)(?:{re.escape(a)}|{re.escape(b)})(?!\w)")
    return lambda text: both.sub(lambda m: b if m[0] == a else a, text)


def _changes(
    claim: str, nearest: str, passage: str, rng: np.random.Generator
) -> list[tuple[Change, bool]]:
    """Returns ways to turn a claim: each with whether the whole passage has to be turned with it."""
    found: list[tuple[Change, bool]] = []
    for shape in (_NUMBER, _NAME):
        here, there = set(shape.findall(claim)), sorted(set(shape.findall(passage)))
        shared = sorted(here & set(there))
        rivals = [each for each in there if each not in claim]
        if shared and rivals:
            a = shared[int(rng.integers(len(shared)))]
            found.append((exchanged(a, rivals[int(rng.integers(len(rivals)))]), True))
        elif shared and shape is _NUMBER and shared[0].isdigit():
            other = str(int(shared[0]) + int(rng.integers(1, 9)))
            found.append((exchanged(shared[0], other), True))
    shared = sorted(set(_TERM.findall(claim)) & set(_TERM.findall(nearest)))
    if shared:
        a = shared[int(rng.integers(len(shared)))]
        rivals = sorted(
            t
            for t in set(_TERM.findall(passage)) - set(_TERM.findall(claim))
            if t[-2:] == a[-2:] and t[:4] != a[:4]
        )
        if rivals:
            found.append((exchanged(a, rivals[int(rng.integers(len(rivals)))]), True))
    words = set(_WORD.findall(nearest))
    turned = [w for w in _WORD.findall(claim) if w in _OPPOSITE and w in words]
    if turned:
        word = turned[int(rng.integers(len(turned)))]
        found.append((exchanged(word, _OPPOSITE[word]), False))
    if _NOT.search(claim) and _NOT.search(nearest):
        found.append((lambda text: _NOT.sub(r"\1", text), False))
    elif (verb := _VERB.search(claim)) and re.search(rf"\b{verb[0]}\b(?! not|n't)", nearest):
        word = verb[0]
        found.append(
            (
                lambda text: re.sub(rf"\b{word}\b(?! not|n't)", f"{word} not", text, count=1),
                False,
            )
        )
    return found


def turned_groups(docs: Docs, rng: np.random.Generator, most: int) -> list[Group]:
    """Claims beside themselves with a number, a name, a direction or a "not" changed.

    The same change is made in the passage, so that each text stands once with either label.
    """
    groups = []
    claims = [c for c in docs.claims if c["supported"]]
    for at in rng.permutation(len(claims)):
        claim = claims[int(at)]["claim"]
        document = docs.documents[claims[int(at)]["passage"]]
        asked = set(_WORD.findall(claim.lower()))
        shared = [len(asked & set(_WORD.findall(s.lower()))) for s in document.sentences]
        if not shared or max(shared) < 0.4 * len(asked):
            continue
        best = int(np.argmax(shared))
        changes = _changes(claim, document.sentences[best], " ".join(document.sentences), rng)
        if not changes:
            continue
        change, whole = changes[int(rng.integers(len(changes)))]
        other = tuple(
            change(s) if whole or place == best else s for place, s in enumerate(document.sentences)
        )
        false = change(claim)
        if false == claim or other == document.sentences:
            continue
        readings = tuple(
            Reading(text, document.above, sentences, label)
            for text, sentences, label in (
                (claim, document.sentences, 1.0),
                (false, document.sentences, 0.0),
                (claim, other, 0.0),
                (false, other, 1.0),
            )
        )
        groups.append(Group("claim", "turned", readings))
        if len(groups) == most:
            break
    return groups


_MARKS = re.compile(r"^(?:[-*+>#|]+|\d+[.)])\s+|\s*\|\s*$")


def quoted_groups(docs: Docs, rng: np.random.Generator, most: int) -> list[Group]:
    """Sentences, list items and rows of a passage as claims: as they stand, taken out, and turned.

    An answer that keeps to its sources is made of these, often with the line that announces them.
    """
    groups = []
    keys = list(docs.documents)
    for at in rng.permutation(len(keys)):
        document = docs.documents[keys[int(at)]]
        place = int(rng.integers(len(document.sentences)))
        own = document.sentences[place]
        claim = re.sub(r"\s*\|\s*", ", ", _MARKS.sub("", own.strip()))
        if not 4 <= len(claim.split()) <= 60:
            continue
        before = document.sentences[place - 1] if place else ""
        if before.endswith(":") and rng.random() < 0.5:
            claim = f"{before} {claim}"
        rest = tuple(s for other, s in enumerate(document.sentences) if other != place)
        rows = [(claim, document.sentences, 1.0)]
        if rest:
            rows.append((claim, rest, 0.05))
        changes = _changes(claim, own, " ".join(document.sentences), rng)
        if changes:
            change, whole = changes[int(rng.integers(len(changes)))]
            false = change(claim)
            other = tuple(
                change(s) if whole or number == place else s
                for number, s in enumerate(document.sentences)
            )
            if false != claim and other != document.sentences:
                rows += [(false, document.sentences, 0.0), (false, other, 1.0)]
        groups.append(
            Group("claim", "quoted", tuple(Reading(c, document.above, s, y) for c, s, y in rows))
        )
        if len(groups) == most:
            break
    return groups


def _holding(sentences: Sequence[str], answers: Sequence[str]) -> tuple[int, ...]:
    lowered = [a.lower() for a in answers]
    return tuple(at for at, s in enumerate(sentences) if any(a in s.lower() for a in lowered))


def qa_groups(data: Path, family: str, rng: np.random.Generator) -> list[Group]:
    """SQuAD 2.0 and natural questions: the sentences that hold an answer, and rivals without one."""
    folder = data / "qa" / family
    corpus = {d["_id"]: d for d in read_jsonl(folder / "corpus.jsonl")}
    cut = {key: split_sentences(d["text"]) for key, d in corpus.items()}
    words = {key: set(d["text"].lower().split()) for key, d in corpus.items()}
    keys = list(corpus)
    groups = []
    for q in read_jsonl(folder / "questions.jsonl"):
        own = q["doc_id"]
        above = corpus[own].get("title") or ""
        if not q["answerable"]:
            reading = Reading(q["question"], above, cut[own], 0.0, ())
            groups.append(Group("question", family, (reading,)))
            continue
        answers = _holding(cut[own], q["answers"])
        if not answers:
            continue
        answered = Reading(q["question"], above, cut[own], 1.0, answers)
        stripped = without(answered)
        if stripped is None or rng.random() < 0.5:
            asked = set(q["question"].lower().split())
            sample = [keys[at] for at in rng.integers(len(keys), size=200)]
            rivals = [k for k in sample if k != own and not _holding(cut[k], q["answers"])]
            if rivals:
                rival = max(rivals, key=lambda k: len(asked & words[k]))
                stripped = Reading(
                    q["question"], corpus[rival].get("title") or "", cut[rival], 0.0, ()
                )
        if stripped is not None:
            groups.append(Group("question", family, (answered, stripped)))
    return groups


def evidence_groups(data: Path, family: str, rng: np.random.Generator) -> list[Group]:
    """Questions with passages really retrieved: one that answers, and one or two that do not."""
    groups = []
    for record in read_jsonl(data / "evidence" / f"{family}.jsonl"):
        positive, negative = [], []
        for p in record["passages"]:
            cut = split_sentences(p["text"])
            if not cut:
                continue
            label = p["relevant"]
            if label is None:
                if record["answerable"]:
                    continue
                label = False
            found = None
            if not label:
                found = ()
            elif record.get("selected"):
                found = tuple(
                    at
                    for at, s in enumerate(cut)
                    if any(s in t or t in s for t in record["selected"])
                )
            elif record.get("answers"):
                found = _holding(cut, record["answers"])
            reading = Reading(
                record["question"], p["title"] or "", cut, float(label), found or None
            )
            if not label:
                reading = replace(reading, answers=())
            (positive if label else negative).append(reading)
        chosen = [side[int(rng.integers(len(side)))] for side in (positive, negative) if side]
        if family == "nomiracl-en":
            chosen = negative[:2]
        if chosen:
            groups.append(Group("question", family, tuple(chosen)))
    return groups


def fact_groups(data: Path, rng: np.random.Generator, most: int) -> list[Group]:
    """Facts of biographies with the part of the article that shares most words with them."""
    articles = {
        a["id"]: split_sentences(a["text"])
        for a in read_jsonl(data / "claims" / "factscore-articles.jsonl")
    }
    records = list(read_jsonl(data / "claims" / "factscore.jsonl"))
    groups = []
    for at in rng.permutation(len(records))[:most]:
        record = records[int(at)]
        cut = articles[record["article"]]
        asked = set(record["claim"].lower().split())
        shared = [len(asked & set(s.lower().split())) for s in cut]
        starts = range(max(1, len(cut) - 6))
        start = max(starts, key=lambda s: sum(sorted(shared[s : s + 7])[-2:]))
        passage = cut[start : start + 7]
        reading = Reading(record["claim"], "", passage, float(record["supported"]))
        groups.append(Group("claim", "factscore", (reading,)))
    return groups


def training_groups(
    data: Path,
    sources: Sequence[str],
    neighbors: dict[str, list[str]],
    seed: int,
) -> list[Group]:
    """Returns the groups of one pass, shuffled."""
    rng = np.random.default_rng(seed)
    docs = Docs(data, sources)
    groups = [
        *docs.question_groups(rng, neighbors),
        *docs.near_miss_groups(),
        *docs.claim_groups(),
        *docs.foreign_groups(rng, 0.35),
        *turned_groups(docs, rng, 4000),
        *quoted_groups(docs, rng, 2500),
        *qa_groups(data, "squad2", rng),
        *qa_groups(data, "nq", rng),
        *(
            g
            for f in ("popqa", "triviaqa", "clapnq", "nomiracl-en")
            for g in evidence_groups(data, f, rng)
        ),
        *fact_groups(data, rng, 2500),
    ]
    return [groups[int(at)] for at in rng.permutation(len(groups))]
