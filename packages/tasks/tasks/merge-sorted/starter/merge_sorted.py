"""Merging many sorted sources with few comparisons."""

from collections.abc import Iterable, Iterator


def merge_sorted(*sources: Iterable) -> Iterator:
    raise NotImplementedError
