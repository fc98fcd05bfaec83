"""A binary search tree of distinct values."""

from dataclasses import dataclass
from typing import Any


@dataclass
class _Node:
    value: Any
    left: "_Node | None" = None
    right: "_Node | None" = None


class BinarySearchTree:
    def __init__(self):
        self._root: _Node | None = None
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def insert(self, value: Any) -> bool:
        parent, node = self._find(value)
        if node:
            return False
        self._put(parent, value, _Node(value))
        self._size += 1
        return True

    def search(self, value: Any) -> bool:
        return self._find(value)[1] is not None

    def delete(self, value: Any) -> bool:
        parent, node = self._find(value)
        if node is None:
            return False
        self._put(parent, value, node.left or node.right)
        self._size -= 1
        return True

    def inorder(self) -> list[Any]:
        values, waiting, node = [], [], self._root
        while waiting or node:
            while node:
                waiting.append(node)
                node = node.left
            node = waiting.pop()
            values.append(node.value)
            node = node.right
        return values

    def _find(self, value: Any) -> tuple[_Node | None, _Node | None]:
        """The node of a value and the one above it; where the value is missing, the one that it belongs under."""
        parent, node = None, self._root
        while node and node.value != value:
            parent, node = node, node.left if value < node.value else node.right
        return parent, node

    def _put(self, parent: _Node | None, value: Any, child: _Node | None) -> None:
        if parent is None:
            self._root = child
        elif value < parent.value:
            parent.left = child
        else:
            parent.right = child
