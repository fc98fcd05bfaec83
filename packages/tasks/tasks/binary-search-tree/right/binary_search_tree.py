"""A binary search tree of distinct values."""


class Node:
    __slots__ = ("value", "left", "right")

    def __init__(self, value):
        self.value = value
        self.left = None
        self.right = None


class BinarySearchTree:
    def __init__(self):
        self._root = None
        self._size = 0

    def insert(self, value) -> bool:
        """Adds a value; False if it was there already."""
        if self._root is None:
            self._root = Node(value)
            self._size = 1
            return True
        node = self._root
        while node.value != value:
            side = "left" if value < node.value else "right"
            child = getattr(node, side)
            if child is None:
                setattr(node, side, Node(value))
                self._size += 1
                return True
            node = child
        return False

    def search(self, value) -> bool:
        """Whether the value is in the tree."""
        node = self._root
        while node is not None and node.value != value:
            node = node.left if value < node.value else node.right
        return node is not None

    def inorder(self) -> list:
        """All values in ascending order. Keeps its own stack: a tree may be as deep as it has values."""
        values, waiting, node = [], [], self._root
        while waiting or node is not None:
            while node is not None:
                waiting.append(node)
                node = node.left
            node = waiting.pop()
            values.append(node.value)
            node = node.right
        return values

    def __len__(self) -> int:
        return self._size
