import itertools
import math
import random

import pytest

from merge_sorted import merge_sorted


class Counted:
    """A number that counts how often numbers of its kind are compared."""

    comparisons = 0

    def __init__(self, number):
        self.number = number

    def __lt__(self, other):
        Counted.comparisons += 1
        return self.number < other.number


@pytest.mark.parametrize(
    ("sources", "merged"),
    [
        ([], []),
        ([[]], []),
        ([[1, 2, 3]], [1, 2, 3]),
        ([[1, 4], [2, 3]], [1, 2, 3, 4]),
        ([[5], [], [1, 9], [5]], [1, 5, 5, 9]),
        (["ace", "bdf"], ["a", "b", "c", "d", "e", "f"]),
    ],
)
def test_merges(sources, merged):
    assert list(merge_sorted(*sources)) == merged


def test_equal_items_come_in_the_order_of_their_sources():
    merged = list(merge_sorted([1, 2], [1.0, 2.0], [True]))
    assert [type(item).__name__ for item in merged] == ["int", "float", "bool", "int", "float"]


def test_reads_endless_sources():
    def endless(start):
        for number in itertools.count(start, 2):
            assert number < 100, "an endless source was read on and on"
            yield number

    assert list(itertools.islice(merge_sorted(endless(0), endless(1)), 6)) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("count", [2, 16, 128])
def test_compares_no_more_than_it_may(count):
    numbers = random.Random(count)
    sources = [[Counted(n) for n in sorted(numbers.choices(range(10_000), k=32))] for _ in range(count)]
    Counted.comparisons = 0
    merged = list(merge_sorted(*sources))
    made, allowed = Counted.comparisons, len(merged) * math.ceil(math.log2(count)) + count - 1
    assert len(merged) == 32 * count
    assert made <= allowed, f"{made} comparisons for {len(merged)} items of {count} sources, at most {allowed} are allowed"
