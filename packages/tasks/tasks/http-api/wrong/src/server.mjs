import { createServer } from "node:http";

/**
 * The HTTP service, not listening yet.
 * @returns {import("node:http").Server}
 */
export function createApi() {
  return createServer(async (request, response) => {
    const send = (status, value) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    try {
      if (request.method === "GET" && request.url === "/health") return send(200, { status: "ok" });
      if (request.method === "POST" && request.url === "/echo") {
        let body = "";
        for await (const chunk of request) body += chunk;
        return send(200, { echo: JSON.parse(body) });
      }
      send(404, { error: "not found" });
    } catch (error) {
      send(500, { error: error.message });
    }
  });
}
