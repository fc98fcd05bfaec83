import json

from notes import NoteBook


def test_writes_the_form_that_is_asked_for(book, path):
    book.add("a")
    book.add("b")
    book.remove(1)
    assert json.loads(path.read_text(encoding="utf-8")) == {"next": 3, "notes": {"2": "b"}}


def test_makes_no_file_before_a_change(book, path):
    assert book.all() == {}
    assert path.exists() is False


def test_keeps_what_is_not_ascii(book, path):
    book.add("naïve — ☕")
    assert NoteBook(path).all() == {1: "naïve — ☕"}


def test_two_books_have_nothing_in_common(tmp_path):
    first, second = NoteBook(tmp_path / "1.json"), NoteBook(tmp_path / "2.json")
    first.add("a")
    assert (first.all(), second.all()) == ({1: "a"}, {})
