/**
 * Makes twins of Python test files by Python's own parser, in the sandbox: `python3 -I -c` with the files' paths as JSON. It
 * only parses: nothing of the workspace is run. Writes `{path: text}` to descriptor 3, for the files that have an equality
 * to wrap; `__SWARM_TWIN_SIDE__` in a text stands for the side that a twin changes.
 *
 * Wrapped are equalities that an assertion stands or falls with: `assert a == b`, also joined by `and`, and `assertEqual` and
 * its kin. Those inside a `try` or a `with` that may swallow the failure are left as they are.
 */
export const PYTHON_TWIN_MAKER = String.raw`
import ast
import json
import os
import sys

KIN = {
    "assertEqual", "assertEquals", "assertListEqual", "assertTupleEqual", "assertSetEqual", "assertDictEqual",
    "assertSequenceEqual", "assertCountEqual", "assertMultiLineEqual",
}
SWALLOWING = {"raises", "assertRaises", "assertRaisesRegex", "suppress", "warns", "assertWarns", "deprecated_call"}

PRELUDE = '''
def __swarm_twin__(left, right):
    import unittest.mock

    side = "__SWARM_TWIN_SIDE__"
    if side == "probe":
        raise AssertionError("an equality was asserted")

    def other(value):
        kind = type(value)
        if kind is bool:
            return not value
        if kind is int:
            return value * 3 + 987654321
        if kind is float:
            return value * 3 + 9.87654321e12 if value == value and abs(value) < 1e300 else 0.125
        if kind is complex:
            return value * 3 + 9.87654321e12
        if kind is str:
            return value + "\\u2260"
        if kind is bytes:
            return value + b"\\xff"
        if kind is list:
            return [*value, object()]
        if kind is tuple:
            return (*value, object())
        if kind is set:
            return {*value, object()}
        if kind is frozenset:
            return frozenset([*value, object()])
        if kind is dict:
            return {**value, object(): object()}
        return object()

    if side == "right":
        return left, other(right)
    if type(right) is type(unittest.mock.ANY):
        return left, object()
    return other(left), right
'''


def name_of(call):
    function = call.func if isinstance(call, ast.Call) else call
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


class Twin(ast.NodeTransformer):
    wrapped = 0

    def visit_Try(self, node):
        if not node.handlers:
            return self.generic_visit(node)
        node.orelse = [self.visit(child) for child in node.orelse]
        return node

    visit_TryStar = visit_Try

    def visit_With(self, node):
        if any(name_of(item.context_expr) in SWALLOWING for item in node.items):
            return node
        return self.generic_visit(node)

    visit_AsyncWith = visit_With

    def visit_Assert(self, node):
        node.test = self.deciding(node.test)
        return node

    def deciding(self, test):
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            test.values = [self.deciding(value) for value in test.values]
        elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
            return self.pair(test.left, test.comparators[0])
        return test

    def pair(self, left, right):
        self.wrapped += 1
        both = ast.Call(ast.Name("__swarm_twin__", ast.Load()), [left, right], [])
        # lambda pair: pair[0] == pair[1], applied to both operands in their order
        names = [ast.Subscript(ast.Name("pair", ast.Load()), ast.Constant(n), ast.Load()) for n in (0, 1)]
        parameters = ast.arguments(posonlyargs=[], args=[ast.arg("pair")], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.Call(ast.Lambda(parameters, ast.Compare(names[0], [ast.Eq()], [names[1]])), [both], [])

    def visit_Call(self, node):
        self.generic_visit(node)
        if name_of(node) in KIN and len(node.args) >= 2 and not any(isinstance(a, ast.Starred) for a in node.args[:2]):
            self.wrapped += 1
            both = ast.Call(ast.Name("__swarm_twin__", ast.Load()), node.args[:2], [])
            node.args = [ast.Starred(both, ast.Load()), *node.args[2:]]
        return node


def twin_of(text):
    tree = ast.parse(text)
    twin = Twin()
    tree = twin.visit(tree)
    if not twin.wrapped:
        return None
    at = 0
    for at, node in enumerate(tree.body):
        docstring = at == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (docstring or future):
            break
    tree.body[at:at] = ast.parse(PRELUDE).body
    return ast.unparse(ast.fix_missing_locations(tree))


twins = {}
for path in json.loads(sys.argv[1]):
    try:
        with open(path, encoding="utf-8") as file:
            twin = twin_of(file.read())
    except (SyntaxError, ValueError, RecursionError):
        continue  # The test file itself cannot be loaded; the run on it says so.
    if twin is not None:
        twins[path] = twin
data = json.dumps(twins).encode()
while data:
    data = data[os.write(3, data):]
`;
