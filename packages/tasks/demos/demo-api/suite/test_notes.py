import json

from notes_api import NotesApi


def create(api, text):
    return api.handle("POST", "/notes", json.dumps({"text": text}))


def test_there_are_no_notes_at_first():
    assert NotesApi().handle("GET", "/notes") == (200, "[]")


def test_creates_a_note_and_gives_it_back():
    api = NotesApi()
    status, text = create(api, "milk")
    assert (status, json.loads(text)) == (201, {"id": 1, "text": "milk"})
    assert api.handle("GET", "/notes/1") == (200, text)


def test_deletes_a_note():
    api = NotesApi()
    create(api, "milk")
    assert api.handle("DELETE", "/notes/1") == (204, "")
    assert api.handle("GET", "/notes/1")[0] == 404


def test_refuses_a_body_that_is_not_json():
    status, text = NotesApi().handle("POST", "/notes", "milk")
    assert status == 400
    assert list(json.loads(text)) == ["error"]


def test_refuses_a_note_without_text():
    assert NotesApi().handle("POST", "/notes", "{}")[0] == 400


def test_refuses_another_method():
    assert NotesApi().handle("PUT", "/notes")[0] == 405
