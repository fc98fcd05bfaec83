"""A pytest plugin that writes what happens to each test as JSON lines to the file that TEST_RECORDS names."""

import json
import os

_records = open(os.environ["TEST_RECORDS"], "a", buffering=1, encoding="utf-8")


def _write(test, event, text=""):
    _records.write(json.dumps({"test": test, "event": event, "text": text}) + "\n")


def pytest_collectreport(report):
    if report.failed:
        _write(report.nodeid, "failed", report.longreprtext)


def pytest_runtest_logstart(nodeid):
    _write(nodeid, "started")


def pytest_runtest_logreport(report):
    if report.failed:
        _write(report.nodeid, "failed", report.longreprtext)
    elif report.when == "call":
        _write(report.nodeid, report.outcome)
