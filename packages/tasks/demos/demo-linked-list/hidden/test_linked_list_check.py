import ast
from itertools import islice
from pathlib import Path

import pytest

from linked_list import LinkedList


def list_of(*values):
    made = LinkedList()
    for value in values:
        made.insert(value)
    return made


def values_of(numbers):
    return list(islice(numbers, 100))  # a list whose nodes go round in a circle has no end


def test_keeps_the_order_of_insertion():
    assert values_of(list_of("c", "a", "b", "a")) == ["c", "a", "b", "a"]


@pytest.mark.parametrize(("value", "left"), [(1, [2, 1, 3]), (2, [1, 1, 3]), (3, [1, 2, 1])])
def test_deletes_the_first_of_equal_values(value, left):
    numbers = list_of(1, 2, 1, 3)
    assert numbers.delete(value) is True
    assert values_of(numbers) == left


def test_deletes_the_only_value_and_takes_new_ones():
    numbers = list_of(1)
    assert numbers.delete(1) is True
    assert values_of(numbers) == []
    numbers.insert(2)
    assert values_of(numbers) == [2]


def test_says_when_there_is_nothing_to_delete():
    numbers = list_of(1, 2)
    assert numbers.delete(3) is False
    assert LinkedList().delete(3) is False
    assert values_of(numbers) == [1, 2]


def test_compares_values_and_not_objects():
    numbers = list_of((1, 2), [3])
    assert numbers.search(tuple([1, 2])) is True
    assert numbers.delete([3]) is True


def test_finds_values_that_are_false():
    values = list_of(0, None, "")
    assert [values.search(value) for value in (0, None, "", "x")] == [True, True, True, False]


@pytest.mark.parametrize("values", [[], [1], [1, 2], [3, 1, 2, 3]])
def test_reverses_in_place(values):
    numbers = list_of(*values)
    numbers.reverse()
    assert values_of(numbers) == values[::-1]
    numbers.insert(9)
    assert values_of(numbers) == [*values[::-1], 9]


def test_two_lists_have_nothing_in_common():
    one, other = list_of(1), LinkedList()
    assert values_of(one) == [1]
    assert values_of(other) == []


def test_the_suites_of_the_team_call_all_four_methods():
    called = set()
    for path in Path.cwd().rglob("*test*.py"):
        if path != Path(__file__):
            called |= methods_called_in(path.read_text())
    assert {"insert", "delete", "search", "reverse"} - called == set()


def methods_called_in(text):
    calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return {function.attr for function in calls if isinstance(function, ast.Attribute)}
