import json
from pathlib import Path


class NoteBook:
    def __init__(self, path):
        self.path = Path(path)
        self.book = {"next": 1, "notes": {}}
        if self.path.exists():
            self.book = json.loads(self.path.read_text(encoding="utf-8"))

    def add(self, text):
        number = self.book["next"]
        self.book["next"] = number + 1
        self.book["notes"][str(number)] = text
        self._write()
        return number

    def remove(self, number):
        del self.book["notes"][str(number)]
        self._write()

    def all(self):
        return {int(number): text for number, text in self.book["notes"].items()}

    def _write(self):
        self.path.write_text(json.dumps(self.book), encoding="utf-8")
