"""The API for notes over HTTP."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from notes_api import NotesApi


def make_server(api: NotesApi, port: int = 0) -> ThreadingHTTPServer:
    """A server on the loopback interface that serves once it is told to; port 0 is any free one."""

    class Handler(BaseHTTPRequestHandler):
        def _serve(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, text = api.handle(self.command, self.path, body.decode(errors="replace"))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

        def log_message(self, format, *arguments):
            pass

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)
