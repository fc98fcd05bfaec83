import pytest

from binary_search_tree import BinarySearchTree


def tree_of(*values):
    tree = BinarySearchTree()
    for value in values:
        tree.insert(value)
    return tree


def test_an_empty_tree_holds_nothing():
    tree = BinarySearchTree()
    assert tree.inorder() == []
    assert len(tree) == 0
    assert not tree.search(1)


@pytest.mark.parametrize("values", [[5], [5, 3, 8], [8, 5, 3, 1], [1, 3, 5, 8], [5, 2, 8, 1, 3, 7, 9]])
def test_inorder_is_sorted(values):
    assert tree_of(*values).inorder() == sorted(values)


def test_finds_what_was_inserted_and_nothing_else():
    tree = tree_of(50, 25, 75, 10, 30)
    assert [value for value in range(100) if tree.search(value)] == [10, 25, 30, 50, 75]


def test_ignores_duplicates():
    tree = tree_of(4, 2, 4, 6, 2, 4)
    assert tree.inorder() == [2, 4, 6]
    assert len(tree) == 3


def test_insert_says_whether_the_value_is_new():
    tree = BinarySearchTree()
    assert tree.insert("b") is True
    assert tree.insert("a") is True
    assert tree.insert("b") is False
