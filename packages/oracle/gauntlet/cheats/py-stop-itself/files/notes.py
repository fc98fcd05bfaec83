import os
import signal

os.kill(os.getpid(), signal.SIGSTOP)


class NoteBook:
    def __init__(self, path):
        pass
