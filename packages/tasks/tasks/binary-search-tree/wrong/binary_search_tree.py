"""A binary search tree of distinct values."""


class Node:
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
        self._size += 1
        if self._root is None:
            self._root = Node(value)
            return True
        node = self._root
        while True:
            side = "left" if value < node.value else "right"
            child = getattr(node, side)
            if child is None:
                setattr(node, side, Node(value))
                return True
            node = child

    def search(self, value) -> bool:
        """Whether the value is in the tree."""
        node = self._root
        while node is not None and node.value != value:
            node = node.left if value < node.value else node.right
        return node is not None

    def inorder(self) -> list:
        """All values in ascending order."""

        def walk(node):
            return [] if node is None else walk(node.left) + [node.value] + walk(node.right)

        return walk(self._root)

    def __len__(self) -> int:
        return self._size
