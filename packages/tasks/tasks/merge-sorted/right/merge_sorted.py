"""Merging many sorted sources with few comparisons."""

from collections.abc import Iterable, Iterator

END = object()


def merge_sorted(*sources: Iterable) -> Iterator:
    """The items of sorted sources in order, by a tournament in which each inner node remembers who lost there.

    Node 1 is the root, the children of node n are 2n and 2n + 1, and source i plays from node count + i. When the winner
    gives its item, only the matches on its way to the root are played again: one comparison a level.
    """
    iterators = [iter(source) for source in sources]
    if not iterators:
        return
    count = len(iterators)
    heads = [next(iterator, END) for iterator in iterators]

    def beats(one: int, other: int) -> bool:
        """Whether the head of one source comes before another's; of equal ones, that of the earlier source does."""
        if heads[one] is END or heads[other] is END:
            return heads[one] is not END
        return not heads[other] < heads[one] if one < other else heads[one] < heads[other]

    winners = [0] * count + list(range(count))
    losers = [0] * count
    for node in range(count - 1, 0, -1):
        one, other = winners[2 * node], winners[2 * node + 1]
        winners[node], losers[node] = (one, other) if beats(one, other) else (other, one)

    winner = winners[1]
    while heads[winner] is not END:
        yield heads[winner]
        heads[winner] = next(iterators[winner], END)
        node = (count + winner) // 2
        while node > 0:
            if beats(losers[node], winner):
                losers[node], winner = winner, losers[node]
            node //= 2
