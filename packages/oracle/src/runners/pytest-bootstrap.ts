/**
 * The Python side of the pytest adapter, given to `python3 -c`. It runs pytest in its own process and writes what the hooks
 * report to descriptor 3. It reads `{"nonce": text, "entries": [path, …], "only": [id, …] or null, "list": bool, "share":
 * seconds or null}` as JSON from its input; so no test finds the nonce in the process's arguments. `list` is to collect the tests
 * and run none; of `share` each test has an equal part, and one that takes longer is ended there. With the argument `warm` it has
 * its start behind it before it reads.
 */
export const PYTEST_BOOTSTRAP = String.raw`
import sys

# The workspace must not replace the runner: its folders come onto the path only once pytest is loaded.
sys.path[:] = [folder for folder in sys.path if folder]

import fcntl
import json
import os
import shutil
import signal
import time

warm = sys.argv[1:] == ["warm"]
sys.argv[:] = ["pytest"]
owner = os.getpid()

# A number that code under test does not guess at once, and that its child processes do not inherit.
channel = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, 64)
os.close(3)


def send(kind, *, write=os.write, dumps=json.dumps, getpid=os.getpid, **fields):
    if getpid() != owner:
        return  # a test forked, and its child ran on into the runner
    data = (dumps({"nonce": nonce, "kind": kind, **fields}) + "\n").encode()
    while data:
        data = data[write(channel, data):]


def leave(code):
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # no exit handler of the code under test has the last word


try:
    import pytest
except ImportError as error:
    pytest, missing = None, error


def session(root, entries, plugins=(), options=()):
    return int(
        pytest.main(
            [
                f"--rootdir={root}",
                f"--confcutdir={root}",
                f"-c{os.devnull}",
                "--import-mode=importlib",
                "--continue-on-collection-errors",
                "-pno:cacheprovider",
                "-q",
                "--color=no",
                *options,
                *(os.path.join(root, entry) for entry in entries),
            ],
            plugins=plugins,
        )
    )


WARM_UP = """
import unittest
import pytest

@pytest.fixture
def two():
    yield 2

@pytest.mark.parametrize("one", [1])
def test_passes(one, two, capsys):
    with pytest.raises(AssertionError):
        assert {one: two} == {two: one}

def test_fails():
    assert [1] == [2]

class Case(unittest.TestCase):
    def test_method(self):
        self.assertEqual(1, 1)
"""


def loaded():
    return {name.partition(".")[0] for name in sys.modules}


def warm_up():
    """
    Runs a session of its own, by which all that pytest loads and makes on first use is there. Returns the names of the
    modules that it loaded, which a run that was not warmed up would look for in the workspace first.
    """
    before, path, shown = loaded(), sys.path[:], sys.stdout
    import gc
    import io
    import tempfile

    sys.stdout = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "test_warm_up.py"), "w") as file:
            file.write(WARM_UP)
        session(folder, ["test_warm_up.py"])
    sys.stdout, sys.path[:] = shown, path
    sys.modules.pop("test_warm_up", None)
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        sys.__dict__.pop(name, None)
    gc.collect()
    gc.freeze()  # what is there now is not looked at again by each collection
    return loaded() - before


for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
    os.environ.pop(variable, None)
preloaded = warm_up() if warm and pytest else set()

told = b""
while part := os.read(0, 65536):
    told += part
if not told:
    leave(0)  # whoever was to tell is gone
nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(nothing, 0)
os.close(nothing)
spec = json.loads(told)
nonce, entries = spec["nonce"], spec["entries"]
root = os.path.realpath(os.getcwd())

if not pytest:
    send("unavailable", message=f"pytest is not installed for the sandbox's python3: {missing}")
    leave(1)

for folder, folders, files in os.walk(root):
    # Bytecode that lies in the workspace may be of other sources than those that are there now.
    if "__pycache__" in folders:
        folders.remove("__pycache__")
        shutil.rmtree(os.path.join(folder, "__pycache__"), ignore_errors=True)
    modules = [name.partition(".")[0] for name in files if name.endswith((".py", ".so"))] + folders
    for name in preloaded.intersection(modules):
        send("shadowed", name=name)
        leave(0)
send("ready", interpreter=f"Python {sys.version.split()[0]}")


def inside(path):
    """The workspace path of a file, or None when it is not in the workspace."""
    full = os.path.realpath(os.path.join(root, str(path)))
    return full[len(root) + 1:] if full.startswith(root + os.sep) else None


def readable(text, limit=20_000):
    """A text without this machine's paths, short enough for the channel."""
    text = str(text).replace(root + os.sep, "").replace(root, "/workspace")
    return text if len(text) <= limit else text[:limit // 2] + "\n…\n" + text[-limit // 2:]


def frames_of(error):
    """path:line of the frames in the workspace that an exception passed through, the innermost last."""
    places, frame = [], error.__traceback__
    while frame is not None:
        path = inside(frame.tb_frame.f_code.co_filename)
        places += [f"{path}:{frame.tb_lineno}"] if path else []
        frame = frame.tb_next
    if isinstance(error, SyntaxError) and error.filename and inside(error.filename):
        places.append(f"{inside(error.filename)}:{error.lineno}")
    return places[-20:]


def placed(error, declared=None):
    frames = frames_of(error)
    return {"errorType": type(error).__name__, "location": frames[-1] if frames else declared, "frames": frames}


def told_by(longrepr):
    """The short form of what pytest has to say about a failure or a skip."""
    if isinstance(longrepr, tuple):
        return readable(longrepr[2])
    if hasattr(longrepr, "errorstring"):
        return readable(longrepr.errorstring.strip().splitlines()[0])  # without the list of all fixtures there are
    crash = getattr(longrepr, "reprcrash", None)
    return readable(crash.message if crash else longrepr)


def remark_of(report):
    """What a test that had nothing against the code says of it all the same, by record_property("remark", text)."""
    remark = dict(report.user_properties).get("remark")
    return None if remark is None else readable(remark, 200)


def status_of(report):
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed:
        return "failed" if report.when == "call" else "error"
    return report.outcome


RANK = {"passed": 0, "xpassed": 1, "xfailed": 2, "skipped": 3, "error": 4, "failed": 5}


class TookTooLong(BaseException):
    """Ends a test, whatever exceptions its code handles."""


def end_test(*_):
    raise TookTooLong("the test took more than its share of the time")


class Recorder:
    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self):
        folders = [os.path.dirname(os.path.join(root, entry)) for entry in entries]
        sys.path[:0] = dict.fromkeys([root, *folders])

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        report = (yield).get_result()
        if report.failed and report.call.excinfo:
            error = report.call.excinfo.value
            cause = error.__cause__ if isinstance(error, collector.CollectError) else None
            message = readable(f"{type(cause or error).__name__}: {cause or error}")
            report.found = {"message": message, **placed(cause or error)}

    def pytest_collectreport(self, report):
        file = report.nodeid.split("::")[0]
        if report.failed:
            unknown = {"message": told_by(report.longrepr), "errorType": None, "location": None}
            found = getattr(report, "found", unknown)
            send("broken", code="COLLECTION_FAILED", id=report.nodeid, file=file, **found)
        elif report.skipped:
            found = {"message": told_by(report.longrepr), "errorType": None, "location": None, "ms": 0}
            send("test", id=report.nodeid, file=file, status="skipped", **found)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        if spec["only"] is not None:
            items[:] = [item for item in items if item.nodeid in spec["only"]]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        send("collected", ids=[item.nodeid for item in session.items])

    def pytest_runtest_logstart(self, nodeid):
        self.reports, self.began = [], time.perf_counter()
        send("start", id=nodeid)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        if call.excinfo:
            declared = f"{item.location[0]}:{(item.location[1] or 0) + 1}"
            report.found = placed(call.excinfo.value, declared)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        share = spec["share"]  # without one a timer is the tests' own affair
        if share is not None:
            signal.signal(signal.SIGALRM, end_test)
            signal.setitimer(signal.ITIMER_REAL, share / len(item.session.items))
        yield
        if share is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def pytest_runtest_logreport(self, report):
        self.reports.append(report)

    def pytest_runtest_logfinish(self, nodeid):
        # Set-up, call, tear-down and subtests are one test: the worst of them counts, and the first of equals.
        worst = max(self.reports, key=lambda report: RANK[status_of(report)])
        found = {"errorType": None, "location": None, **getattr(worst, "found", {})}
        message = getattr(worst, "wasxfail", None) or (told_by(worst.longrepr) if worst.longrepr else remark_of(self.reports[-1]))
        if status_of(worst) in ("failed", "error"):
            last = self.reports[-1]
            found["output"] = readable(last.capstdout + last.capstderr, 4_000)
        else:
            found = {"errorType": None, "location": None}
        send(
            "test",
            id=nodeid,
            file=nodeid.split("::")[0],
            status=status_of(worst),
            message=message,
            ms=(time.perf_counter() - self.began) * 1000,
            **found,
        )

    def pytest_internalerror(self, excinfo):
        error = excinfo.value
        send("crash", message=readable(f"{type(error).__name__}: {error}"), **placed(error))

    def pytest_keyboard_interrupt(self, excinfo):
        self.pytest_internalerror(excinfo)


began = time.perf_counter()
code = session(root, entries, [Recorder()], ["--collect-only"] if spec["list"] else [])
send(
    "end",
    exit=code,
    ok=code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED),
    version=pytest.__version__,
    ms=(time.perf_counter() - began) * 1000,
)
leave(code)
`;
