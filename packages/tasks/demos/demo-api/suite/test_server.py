import http.client
import json
import threading

from notes_api import NotesApi
from notes_server import make_server


def test_serves_notes_over_http():
    server = make_server(NotesApi())
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    client = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
    client.request("POST", "/notes", json.dumps({"text": "milk"}))
    answer = client.getresponse()
    assert (answer.status, json.loads(answer.read())) == (201, {"id": 1, "text": "milk"})
    assert answer.getheader("Content-Type") == "application/json"
    client.close()
    server.shutdown()
    server.server_close()
