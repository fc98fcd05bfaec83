import json


class NoteBook:
    def __init__(self, path):
        self.path = path

    def add(self, text):
        notes = self.all()
        number = len(notes) + 1
        notes[number] = text
        self._write(notes)
        return number

    def remove(self, number):
        notes = self.all()
        del notes[number]
        self._write(notes)

    def all(self):
        try:
            with open(self.path) as file:
                return {int(number): text for number, text in json.load(file)["notes"].items()}
        except FileNotFoundError:
            return {}

    def _write(self, notes):
        with open(self.path, "w") as file:
            json.dump({"next": len(notes) + 1, "notes": notes}, file)
