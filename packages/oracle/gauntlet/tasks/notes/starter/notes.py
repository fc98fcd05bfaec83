class NoteBook:
    def __init__(self, path):
        self.path = path

    def add(self, text):
        raise NotImplementedError

    def remove(self, number):
        raise NotImplementedError

    def all(self):
        raise NotImplementedError
