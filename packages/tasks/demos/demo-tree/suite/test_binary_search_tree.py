from binary_search_tree import BinarySearchTree


def tree_of(*values):
    tree = BinarySearchTree()
    for value in values:
        tree.insert(value)
    return tree


def test_an_empty_tree_has_no_values():
    assert BinarySearchTree().inorder() == []
    assert len(BinarySearchTree()) == 0


def test_inorder_is_sorted():
    assert tree_of(5, 2, 8, 1, 9).inorder() == [1, 2, 5, 8, 9]


def test_insert_ignores_a_value_that_is_there():
    tree = tree_of(5, 2)
    assert tree.insert(2) is False
    assert len(tree) == 2


def test_search_finds_what_is_there():
    tree = tree_of(5, 2, 8)
    assert [tree.search(value) for value in (5, 8, 7)] == [True, True, False]
