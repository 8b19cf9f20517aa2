"""Ranking measures and their bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.stats import rankdata


def auc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Returns the chance that a positive scores above a negative; ties count half."""
    truth = np.asarray(labels, dtype=bool)
    positives, negatives = truth.sum(), (~truth).sum()
    if not positives or not negatives:
        return float("nan")
    ranks = rankdata(scores)
    return float((ranks[truth].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def ndcg(scores: np.ndarray, grades: dict[int, int], depth: int = 10) -> float:
    """Returns the discounted gain of the first documents over the best gain possible."""
    order = np.argsort(-scores, kind="stable")[:depth]
    discounts = 1 / np.log2(np.arange(2, depth + 2))
    gain = sum(grades.get(int(at), 0) * d for at, d in zip(order, discounts))
    best = sum(g * d for g, d in zip(sorted(grades.values(), reverse=True), discounts))
    return gain / best if best else 0.0


def interval(
    count: int,
    measure: Callable[[np.ndarray], float],
    rounds: int = 1000,
    seed: int = 7,
) -> tuple[float, float]:
    """Returns the 95 % bootstrap interval of a measure over resampled questions."""
    rng = np.random.default_rng(seed)
    values = [measure(rng.integers(0, count, count)) for _ in range(rounds)]
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)
