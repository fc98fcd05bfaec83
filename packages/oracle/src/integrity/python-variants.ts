/**
 * Makes variants of Python test files by Python's own parser, in the sandbox: `python3 -I -c` with the files' paths as JSON. It
 * only parses: nothing of the workspace is run. Writes `{path: {twin, blind, direct}}` to descriptor 3.
 *
 * `twin` has its expectations wrapped, those that an assertion stands or falls with: the comparison in `assert a == b`, also
 * joined by `and`, the answer in `assert f(x)`, and `assertEqual` and its kin; null where there are none. What an answer hides,
 * such as the equality in a helper of the tests, cannot be changed, so that such answers are left as they are. So are assertions
 * inside a `try` or a `with` that may swallow the failure. `direct` names the test functions that cannot end without having asked
 * a wrapped one. In `blind` code under test finds empty lines in test files, and cannot read the frames of its callers. What both
 * use of the builtins they take for themselves: a name of the test file may be the work's own.
 */
export const PYTHON_VARIANTS = String.raw`
import ast
import builtins
import json
import os
import sys

KIN = {
    "assertEqual", "assertEquals", "assertListEqual", "assertTupleEqual", "assertSetEqual", "assertDictEqual",
    "assertSequenceEqual", "assertCountEqual", "assertMultiLineEqual", "assertAlmostEqual", "assertIs",
}
SIGNS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.NotEq: "!=", ast.NotIn: "not in", ast.IsNot: "is not",
}
SIGN_OF = {
    "assertLess": "<", "assertLessEqual": "<=", "assertGreater": ">", "assertGreaterEqual": ">=", "assertNotEqual": "!=",
    "assertNotIn": "not in", "assertIsNot": "is not",
}
ASSERTIONS = {*KIN, *SIGN_OF, "assertIn", "assertTrue", "assertFalse"}
SWALLOWING = {"raises", "assertRaises", "assertRaisesRegex", "suppress", "warns", "assertWarns", "deprecated_call"}

PRELUDE = '''
def __swarm_twin__(left, right, inside=False):
    from builtins import AssertionError, abs, bool, bytes, complex, dict, float, frozenset, int, list, object, set, str, tuple, type
    import unittest.mock

    side = "__SWARM_TWIN_SIDE__"
    if side == "probe":
        raise AssertionError("something was expected")

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
        return left, [object()] if inside else other(right)
    if type(right) is type(unittest.mock.ANY):
        return left, object()
    return other(left), right


def __swarm_twin__opposite__(left, sign, right):  # without its last underscores a class would have another name for it
    from builtins import AssertionError, float, int, type

    side = "__SWARM_TWIN_SIDE__"
    if side == "probe":
        raise AssertionError("something was expected")
    if side == "right" and type(right) in (int, float) and sign in ("<", "<="):
        return left < float("-inf")
    if side == "right" and type(right) in (int, float) and sign in (">", ">="):
        return left > float("inf")
    if sign == "<":
        return left >= right
    if sign == "<=":
        return left > right
    if sign == ">":
        return left <= right
    if sign == ">=":
        return left < right
    if sign == "!=":
        return left == right
    return left in right if sign == "not in" else left is right
'''


BLIND = '''
def __swarm_blind__(paths):
    from builtins import PermissionError, bytes, isinstance, open, str
    import os
    import sys

    root = os.path.realpath(os.getcwd()) + os.sep
    tests = {}
    for path in paths:
        with open(os.path.join(root, path), "rb") as file:
            tests[os.path.realpath(file.name)] = file.read()
    frame_at, realpath, looking = sys._getframe, os.path.realpath, []

    def is_asked_by_work(event):
        frame = frame_at(2)
        while frame is not None:
            name = frame.f_code.co_filename
            if name.startswith(root):
                return realpath(name) not in tests
            if "site-packages" in name or (event != "open" and not name.endswith(os.sep + "inspect.py")):
                return False
            frame = frame.f_back
        return False

    def show(path, blank):
        """Code under test finds empty lines in a test file, and everyone else what is in it."""
        if path in tests:
            with open(path, "wb") as file:
                file.write(b"\\n" * tests[path].count(b"\\n") if blank else tests[path])

    def hook(event, arguments):
        if looking or event not in EVENTS:
            return
        looking.append(event)
        try:
            if event == "open":
                if isinstance(arguments[0], (str, bytes, os.PathLike)):
                    show(os.fsdecode(realpath(arguments[0])), is_asked_by_work(event))
                return
            if event == "object.__getattr__" and arguments[1] not in ("tb_frame", "f_back", "gi_frame", "f_code"):
                return
            if is_asked_by_work(event):
                raise PermissionError("code under test reads its tests")
        finally:
            looking.pop()

    EVENTS = {
        "open", "sys._getframe", "object.__getattr__", "sys._current_frames", "sys.settrace", "sys.setprofile",
        "gc.get_objects", "gc.get_referrers", "gc.get_referents",
    }
    sys.addaudithook(hook)


__swarm_blind__(PATHS)
'''


def name_of(call):
    function = call.func if isinstance(call, ast.Call) else call
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


def call(name, *given):
    return ast.Call(ast.Name(name, ast.Load()), [*given], [])


def negated(node):
    return ast.UnaryOp(ast.Not(), node)


class Answers:
    """Tells what the code under test said itself from what a test made of it, where it may have compared something."""

    MADE = (ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)

    def __init__(self, tree, paths):
        modules = {f".{path[:-3]}".replace("/", ".").removesuffix(".__init__") for path in paths} | {".conftest"}
        self.own, self.values, self.all_own = {"self", "cls", *dir(builtins)}, {}, False
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.own.add(node.name)
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor)):
                value = node.iter if hasattr(node, "iter") else node.value
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name) and value:
                            self.values.setdefault(name.id, []).append(value)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    package = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
                    places = (f".{package}", f".{package}.{alias.name}".replace("..", "."))
                    if package == "" or any(module.endswith(places) for module in modules):
                        self.own.add((alias.asname or alias.name).partition(".")[0])
                        self.all_own = self.all_own or alias.name == "*"

    def has(self, node, seen=()):
        if self.all_own or any(isinstance(part, self.MADE) for part in ast.walk(node)):
            return False
        while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript, ast.Await)):
            node = node.func if isinstance(node, ast.Call) else node.value
        if not isinstance(node, ast.Name) or node.id in self.own:
            return False
        return node.id in seen or all(self.has(value, (*seen, node.id)) for value in self.values.get(node.id, []))


class Twin(ast.NodeTransformer):
    wrapped = 0

    def __init__(self, tree, paths):
        self.answers = Answers(tree, paths)

    def visit_FunctionDef(self, node):
        # An assertion that is made of another one: who calls it is wrapped, and two changes of a boolean would be none.
        return node if node.name in ASSERTIONS else self.generic_visit(node)

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
        elif isinstance(test, ast.Compare) and len(test.ops) == 1:
            return self.comparison(test.left, test.ops[0], test.comparators[0])
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.answer(test) if self.answers.has(test.operand) else test
        elif self.answers.has(test):
            return self.answer(negated(negated(test)))
        return test

    def comparison(self, left, operator, right):
        if type(operator) in SIGNS:
            return self.opposite(left, SIGNS[type(operator)], right)
        both = self.both(left, right, inside=isinstance(operator, ast.In))
        # lambda pair: pair[0] == pair[1], applied to both operands in their order
        names = [ast.Subscript(ast.Name("pair", ast.Load()), ast.Constant(n), ast.Load()) for n in (0, 1)]
        parameters = ast.arguments(posonlyargs=[], args=[ast.arg("pair")], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.Call(ast.Lambda(parameters, ast.Compare(names[0], [operator], [names[1]])), [both], [])

    def answer(self, boolean):
        return self.comparison(boolean, ast.Eq(), ast.Constant(True))

    def both(self, left, right, inside=False):
        self.wrapped += 1
        return call("__swarm_twin__", left, right, *([ast.Constant(True)] if inside else []))

    def opposite(self, left, sign, right):
        self.wrapped += 1
        return call("__swarm_twin__opposite__", left, ast.Constant(sign), right)

    def visit_Call(self, node):
        self.generic_visit(node)
        name, given = name_of(node), node.args
        if name not in ASSERTIONS or any(isinstance(value, ast.Starred) for value in given[:2]):
            return node
        if name in (*KIN, "assertIn") and len(given) >= 2:
            node.args = [ast.Starred(self.both(*given[:2], inside=name == "assertIn"), ast.Load()), *given[2:]]
        elif not isinstance(node.func, ast.Attribute):
            return node
        elif name in SIGN_OF and len(given) >= 2:
            node.func.attr, node.args = "assertTrue", [self.opposite(given[0], SIGN_OF[name], given[1]), *given[2:]]
        elif name in ("assertTrue", "assertFalse") and given and self.answers.has(given[0]):
            said = negated(given[0]) if name == "assertFalse" else negated(negated(given[0]))
            node.func.attr, node.args = "assertTrue", [self.answer(said), *given[1:]]
        return node


def with_prelude(tree, prelude):
    at = 0
    for at, node in enumerate(tree.body):
        docstring = at == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (docstring or future):
            break
    tree.body[at:at] = ast.parse(prelude).body
    return ast.unparse(ast.fix_missing_locations(tree))


def direct_in(tree):
    """Names of the test functions with a wrapped expectation among their own statements."""
    names = []
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or not function.name.startswith("test"):
            continue
        for statement in function.body:
            if isinstance(statement, (ast.Return, ast.If, ast.For, ast.While, ast.Try, ast.With)):
                break
            if any(isinstance(node, ast.Name) and node.id.startswith("__swarm_twin__") for node in ast.walk(statement)):
                names.append(function.name)
                break
    return names


def variants_of(text, paths):
    blind = with_prelude(ast.parse(text), BLIND.replace("(PATHS)", f"({paths!r})"))
    tree = ast.parse(text)
    maker = Twin(tree, paths)
    tree = maker.visit(tree)
    if not maker.wrapped:
        return {"twin": None, "blind": blind, "direct": []}
    return {"direct": direct_in(tree), "blind": blind, "twin": with_prelude(tree, PRELUDE)}


paths = json.loads(sys.argv[1])
variants = {}
for path in paths:
    try:
        with open(path, "rb") as file:  # the parser knows byte order marks and declared encodings
            variants[path] = variants_of(file.read(), paths)
    except (SyntaxError, ValueError, RecursionError):
        continue  # The test file itself cannot be loaded; the run on it says so.
data = json.dumps(variants).encode()
while data:
    data = data[os.write(3, data):]
`;
