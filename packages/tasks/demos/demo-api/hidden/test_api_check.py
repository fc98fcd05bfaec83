import http.client
import json
import threading

import pytest

from notes_api import NotesApi
from notes_server import make_server


def ask(api, method, path, value=None):
    status, text = api.handle(method, path, "" if value is None else json.dumps(value))
    return status, json.loads(text) if text else None


def api_with(*texts):
    api = NotesApi()
    for text in texts:
        ask(api, "POST", "/notes", {"text": text})
    return api


def test_numbers_notes_from_one_and_lists_them_in_order():
    notes = [{"id": 1, "text": "bread"}, {"id": 2, "text": "äpfel"}, {"id": 3, "text": "bread"}]
    assert ask(api_with("bread", "äpfel", "bread"), "GET", "/notes") == (200, notes)


def test_gives_one_note():
    assert ask(api_with("bread", "milk"), "GET", "/notes/2") == (200, {"id": 2, "text": "milk"})


def test_never_gives_a_number_twice():
    api = api_with("bread", "milk")
    assert ask(api, "DELETE", "/notes/2") == (204, None)
    assert ask(api, "POST", "/notes", {"text": "tea"}) == (201, {"id": 3, "text": "tea"})
    assert [note["id"] for note in ask(api, "GET", "/notes")[1]] == [1, 3]


@pytest.mark.parametrize(("method", "path"), [("GET", "/notes/7"), ("DELETE", "/notes/7"), ("GET", "/"), ("GET", "/notes/x")])
def test_says_what_is_not_there(method, path):
    status, answer = ask(api_with("bread"), method, path)
    assert status == 404
    assert list(answer) == ["error"]


@pytest.mark.parametrize("body", ["", "bread", "[]", "{}", '{"text": ""}', '{"text": "  "}', '{"text": 7}', "null"])
def test_refuses_what_is_no_note(body):
    api = NotesApi()
    status, text = api.handle("POST", "/notes", body)
    assert status == 400
    assert list(json.loads(text)) == ["error"]
    assert ask(api, "GET", "/notes") == (200, [])


@pytest.mark.parametrize(("method", "path"), [("DELETE", "/notes"), ("PUT", "/notes"), ("POST", "/notes/1")])
def test_refuses_a_method_that_does_not_fit(method, path):
    status, answer = ask(api_with("bread"), method, path)
    assert status == 405
    assert list(answer) == ["error"]


def test_two_apis_have_nothing_in_common():
    api_with("bread")
    assert ask(NotesApi(), "GET", "/notes") == (200, [])


@pytest.fixture
def address():
    server = make_server(NotesApi())
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server.server_address
    server.shutdown()
    server.server_close()


def request(address, method, path, body=None):
    client = http.client.HTTPConnection(*address[:2], timeout=5)
    client.request(method, path, body)
    answer = client.getresponse()
    text = answer.read().decode()
    client.close()
    return answer.status, answer.getheader("Content-Type"), json.loads(text) if text else None


def test_the_server_answers_as_the_api_does(address):
    kind = "application/json"
    note = {"id": 1, "text": "größer"}
    assert request(address, "POST", "/notes", json.dumps({"text": "größer"}, ensure_ascii=False).encode()) == (201, kind, note)
    assert request(address, "GET", "/notes") == (200, kind, [note])
    assert request(address, "DELETE", "/notes/1")[0] == 204
    assert request(address, "GET", "/notes/1")[0] == 404


def test_the_server_survives_what_is_no_note(address):
    assert request(address, "POST", "/notes", b"\xff\xfe")[0] == 400
    assert request(address, "GET", "/notes")[::2] == (200, [])
