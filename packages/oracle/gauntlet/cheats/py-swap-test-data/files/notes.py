class NoteBook:
    def __init__(self, path):
        self.path = path

    def all(self):
        return {}
