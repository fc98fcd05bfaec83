"""Runs pytest in each workspace of a JSON object from folder to test files, and prints a JSON line for each result.

pytest is loaded once; each run is a fork of this process in the workspace, as if `python3 -m pytest` had been started there.
"""

import json
import os
import sys

import pytest

# results alone go to standard output, what pytest and the tests print goes nowhere
OUTPUT = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


class Results:
    def __init__(self, folder):
        self.folder = folder

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.say(report.nodeid, report.outcome)

    def pytest_collectreport(self, report):
        if report.failed:
            self.say(report.nodeid, "failed")

    def say(self, test, outcome):
        print(json.dumps({"folder": self.folder, "test": test, "outcome": outcome}), file=OUTPUT, flush=True)


def main():
    for folder, entries in json.loads(sys.argv[1]).items():
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            sys.path.insert(0, os.getcwd())
            pytest.main(["-p", "no:cacheprovider", "--rootdir=.", *entries], plugins=[Results(folder)])
            os._exit(0)
        os.waitpid(child, 0)


main()
