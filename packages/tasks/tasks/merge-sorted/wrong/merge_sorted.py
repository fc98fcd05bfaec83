"""Merging many sorted sources with few comparisons."""

import heapq
from collections.abc import Iterable, Iterator


def merge_sorted(*sources: Iterable) -> Iterator:
    """The items of sorted sources in order, read no further than needed."""
    return heapq.merge(*sources)
