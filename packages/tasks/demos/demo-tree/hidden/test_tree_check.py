import itertools
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from binary_search_tree import BinarySearchTree


def tree_of(values):
    tree = BinarySearchTree()
    for value in values:
        tree.insert(value)
    return tree


def test_agrees_with_a_set_through_a_thousand_changes():
    chance, tree, expected = random.Random(7), BinarySearchTree(), set()
    for _ in range(1000):
        value = chance.randrange(60)
        if chance.random() < 0.5:
            assert tree.insert(value) == (value not in expected)
            expected.add(value)
        else:
            assert tree.delete(value) == (value in expected)
            expected.discard(value)
        assert tree.inorder() == sorted(expected)
        assert len(tree) == len(expected)


@pytest.mark.parametrize("value", [1, 2, 3, 4])
def test_deletes_from_a_tree_of_any_shape(value):
    for values in itertools.permutations([1, 2, 3, 4]):
        tree = tree_of(values)
        assert tree.delete(value) is True
        assert tree.inorder() == [other for other in (1, 2, 3, 4) if other != value]
        assert [tree.search(other) for other in (1, 2, 3, 4)] == [other != value for other in (1, 2, 3, 4)]


def test_deletes_down_to_an_empty_tree():
    tree = tree_of("bac")
    assert [tree.delete(value) for value in "bacb"] == [True, True, True, False]
    assert tree.inorder() == []
    assert len(tree) == 0


def test_values_in_ascending_order_do_not_exhaust_the_stack():
    tree = tree_of(range(2000))
    assert tree.inorder() == list(range(2000))
    assert tree.delete(1999) is True
    assert tree.search(1998) is True


def test_a_change_of_the_listing_does_not_change_the_tree():
    tree = tree_of([2, 1])
    tree.inorder().clear()
    assert tree.inorder() == [1, 2]


MEASURE = """
import json, sys, threading
import pytest

path, *suites = sys.argv[1:]
reached = set()

def trace(frame, event, argument):
    if frame.f_code.co_filename != path:
        return None
    reached.add(frame.f_lineno)
    return trace

def lines_of(code):
    parts = [constant for constant in code.co_consts if hasattr(constant, "co_lines")]
    return {line for *_, line in code.co_lines() if line}.union(*map(lines_of, parts))

threading.settrace(trace)
sys.settrace(trace)
pytest.main(["-q", "--import-mode=importlib", "-p", "no:cacheprovider", *suites])
sys.settrace(None)
with open(path) as file:
    lines = lines_of(compile(file.read(), path, "exec"))
print("\\n" + json.dumps([len(reached & lines), len(lines)]))
"""


def test_the_suites_of_the_team_reach_the_code(record_property):
    module = Path(sys.modules["binary_search_tree"].__file__)
    suites = [path for path in Path.cwd().rglob("*test*.py") if path != Path(__file__)]
    measured = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(Path.cwd())!r})\n{MEASURE}", module, *suites],
        capture_output=True,
        text=True,
        timeout=60,
    )
    reached, lines = json.loads(measured.stdout.splitlines()[-1])
    record_property("remark", f"the suites of the team reach {100 * reached // lines} % of the lines of {module.name}")
    assert suites
    assert reached > 0
