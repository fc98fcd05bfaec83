import { createServer } from "node:http";

const MAX_BODY_BYTES = 100_000;

/** What a client did wrong, with the status that says so. */
class RequestError extends Error {
  constructor(status, message, headers = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const routes = {
  "/health": { GET: () => ({ status: "ok" }) },
  "/echo": { POST: async (request) => ({ echo: await readJson(request) }) },
};

/**
 * The HTTP service, not listening yet.
 * @returns {import("node:http").Server}
 */
export function createApi() {
  return createServer(async (request, response) => {
    try {
      send(response, 200, await route(request)(request));
    } catch (error) {
      if (error instanceof RequestError) send(response, error.status, { error: error.message }, error.headers);
      else send(response, 500, { error: "internal error" });
    }
  });
}

function route(request) {
  const path = request.url.split("?")[0];
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (methods === undefined) throw new RequestError(404, `there is no ${path}`);
  const allow = Object.keys(methods).join(", ");
  if (!Object.hasOwn(methods, request.method)) throw new RequestError(405, `use ${allow}`, { allow });
  return methods[request.method];
}

async function readJson(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    // What is above the limit is read and dropped, so that the client is done sending when the answer comes.
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new RequestError(413, `a body has at most ${MAX_BODY_BYTES} bytes`);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new RequestError(400, "the body is not JSON");
  }
}

function send(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}
