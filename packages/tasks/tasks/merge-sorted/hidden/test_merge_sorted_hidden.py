import math
import random

import pytest

from merge_sorted import merge_sorted


class OnlyLess:
    """An item that knows `<` and nothing else; `==` is identity."""

    comparisons = 0

    def __init__(self, rank, label):
        self.rank = rank
        self.label = label

    def __lt__(self, other):
        OnlyLess.comparisons += 1
        return self.rank < other.rank


def test_items_need_nothing_but_less_than():
    first = [OnlyLess(1, "a"), OnlyLess(2, "b"), OnlyLess(2, "c")]
    second = [OnlyLess(1, "d"), OnlyLess(2, "e")]
    third = [OnlyLess(0, "f"), OnlyLess(2, "g")]
    assert "".join(item.label for item in merge_sorted(first, second, third)) == "fadbceg"


def test_none_is_an_item_like_any_other():
    assert list(merge_sorted([None])) == [None]


@pytest.mark.parametrize("count", [1, 3, 5, 7, 33, 100])
def test_agrees_with_sorted_for_any_number_of_sources(count):
    numbers = random.Random(count)
    sources = [sorted(numbers.choices(range(50), k=numbers.randrange(12))) for _ in range(count)]
    assert list(merge_sorted(*sources)) == sorted(number for source in sources for number in source)


@pytest.mark.parametrize("count", [1, 3, 12, 100])
def test_compares_no_more_than_it_may_with_an_odd_number_of_sources(count):
    numbers = random.Random(count)
    sources = [[OnlyLess(n, "") for n in sorted(numbers.choices(range(1000), k=20))] for _ in range(count)]
    OnlyLess.comparisons = 0
    merged = list(merge_sorted(*sources))
    assert len(merged) == 20 * count
    assert OnlyLess.comparisons <= len(merged) * math.ceil(math.log2(count)) + count - 1


def test_reads_no_further_than_one_item_ahead():
    read = [0, 0]

    def source(index, numbers):
        for number in numbers:
            read[index] += 1
            yield number

    merged = merge_sorted(source(0, [1, 2, 3, 4]), source(1, [10, 20]))
    assert [next(merged), next(merged)] == [1, 2]
    assert read[0] <= 3
    assert read[1] == 1
