import random

from binary_search_tree import BinarySearchTree


def test_agrees_with_a_set():
    numbers = random.Random(7)
    tree, expected = BinarySearchTree(), set()
    for _ in range(500):
        value = numbers.randrange(-120, 120)
        assert tree.insert(value) is (value not in expected)
        expected.add(value)
    assert tree.inorder() == sorted(expected)
    assert len(tree) == len(expected)
    assert all(tree.search(value) is (value in expected) for value in range(-130, 130))


def test_values_in_ascending_order_do_not_exhaust_the_stack():
    tree = BinarySearchTree()
    for value in range(1500):
        tree.insert(value)
    assert tree.search(1499)
    assert tree.inorder() == list(range(1500))


def test_takes_values_that_are_false():
    tree = BinarySearchTree()
    for value in [0, -1, 0, 1]:
        tree.insert(value)
    assert tree.search(0)
    assert tree.inorder() == [-1, 0, 1]


def test_a_change_of_the_listing_does_not_change_the_tree():
    tree = BinarySearchTree()
    tree.insert("x")
    tree.inorder().append("y")
    assert tree.inorder() == ["x"]
