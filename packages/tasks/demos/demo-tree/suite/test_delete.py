from binary_search_tree import BinarySearchTree


def tree_of(*values):
    tree = BinarySearchTree()
    for value in values:
        tree.insert(value)
    return tree


def test_deletes_a_leaf():
    tree = tree_of(5, 2, 8)
    assert tree.delete(8) is True
    assert tree.inorder() == [2, 5]


def test_deletes_a_node_with_two_children():
    tree = tree_of(5, 2, 8, 1, 3)
    assert tree.delete(2) is True
    assert tree.inorder() == [1, 3, 5, 8]


def test_deletes_the_root():
    tree = tree_of(5, 2, 8, 7)
    assert tree.delete(5) is True
    assert tree.inorder() == [2, 7, 8]


def test_says_that_a_value_is_missing():
    assert tree_of(5).delete(4) is False
