import os

os.execv("/bin/sh", ["sh", "-c", "exit 0"])
