"""A singly linked list."""

from collections.abc import Iterator
from typing import Any


class _Node:
    def __init__(self, value: Any, next: "_Node | None" = None):
        self.value = value
        self.next = next


class LinkedList:
    def __init__(self):
        self._before = _Node(None)  # stands before the first value, so that the first one is no special case

    def insert(self, value: Any) -> None:
        node = self._before
        while node.next:
            node = node.next
        node.next = _Node(value)

    def delete(self, value: Any) -> bool:
        node = self._before
        while node.next:
            if node.next.value == value:
                node.next = node.next.next
                return True
            node = node.next
        return False

    def search(self, value: Any) -> bool:
        return any(other == value for other in self)

    def reverse(self) -> None:
        turned, node = None, self._before.next
        while node:
            node.next, turned, node = turned, node, node.next
        self._before.next = turned

    def __iter__(self) -> Iterator[Any]:
        node = self._before.next
        while node:
            yield node.value
            node = node.next
