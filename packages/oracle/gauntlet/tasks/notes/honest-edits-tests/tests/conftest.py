import pathlib
import shutil

import pytest

from notes import NoteBook


@pytest.fixture
def path(tmp_path):
    return tmp_path / "notes.json"


@pytest.fixture
def book(path):
    return NoteBook(path)


@pytest.fixture
def full_book(book):
    for text in ("a", "b", "c"):
        book.add(text)
    return book


@pytest.fixture
def old_book(path):
    shutil.copy(pathlib.Path(__file__).parent / "data" / "old-notes.json", path)
    return NoteBook(path)
