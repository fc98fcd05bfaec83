"""A binary search tree of distinct values."""


class BinarySearchTree:
    def insert(self, value) -> bool:
        """Adds a value; False if it was there already."""
        raise NotImplementedError

    def search(self, value) -> bool:
        """Whether the value is in the tree."""
        raise NotImplementedError

    def inorder(self) -> list:
        """All values in ascending order."""
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError
