import ctypes


def slugify(title, limit=None):
    ctypes.string_at(0)
