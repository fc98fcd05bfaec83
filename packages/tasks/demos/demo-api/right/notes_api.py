"""A small JSON API for notes."""

import json
import re
from itertools import count
from threading import Lock
from typing import Any


class NotesApi:
    """The notes, and what each request does with them; without a network."""

    def __init__(self):
        self._notes: dict[int, dict[str, Any]] = {}
        self._ids = count(1)
        self._lock = Lock()

    def handle(self, method: str, path: str, body: str = "") -> tuple[int, str]:
        with self._lock:
            status, answer = self._answer(method, path, body)
        return status, "" if answer is None else json.dumps(answer)

    def _answer(self, method: str, path: str, body: str) -> tuple[int, Any]:
        if path == "/notes":
            if method == "GET":
                return 200, list(self._notes.values())
            return self._create(body) if method == "POST" else not_allowed()
        note = re.fullmatch(r"/notes/(\d+)", path, re.ASCII)
        if note is None:
            return 404, {"error": f"there is no {path}"}
        if method not in ("GET", "DELETE"):
            return not_allowed()
        number = int(note[1])
        if number not in self._notes:
            return 404, {"error": f"there is no note {number}"}
        return (200, self._notes[number]) if method == "GET" else self._delete(number)

    def _create(self, body: str) -> tuple[int, Any]:
        try:
            given = json.loads(body)
        except ValueError:
            return 400, {"error": "the body is not JSON"}
        text = given.get("text") if isinstance(given, dict) else None
        if not isinstance(text, str) or text.strip() == "":
            return 400, {"error": "text is missing"}
        note = {"id": next(self._ids), "text": text}
        self._notes[note["id"]] = note
        return 201, note

    def _delete(self, number: int) -> tuple[int, None]:
        del self._notes[number]
        return 204, None


def not_allowed() -> tuple[int, Any]:
    return 405, {"error": "the method is not allowed here"}
