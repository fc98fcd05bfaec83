import json
import os


class NoteBook:
    def __init__(self, path):
        self.path = path

    def add(self, text):
        book = self._read()
        number = book["next"]
        book["notes"][str(number)] = text
        book["next"] = number + 1
        self._write(book)
        return number

    def remove(self, number):
        book = self._read()
        del book["notes"][str(number)]
        self._write(book)

    def all(self):
        return {int(number): text for number, text in self._read()["notes"].items()}

    def _read(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {"next": 1, "notes": {}}

    def _write(self, book):
        whole = f"{self.path}.new"
        with open(whole, "w", encoding="utf-8") as file:
            json.dump(book, file, ensure_ascii=False)
        os.replace(whole, self.path)
