import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { createApi } from "../src/server.mjs";

describe("the service", () => {
  let server;
  let base;

  before(async () => {
    server = createApi();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    base = `http://127.0.0.1:${server.address().port}`;
  });

  after(() => {
    server?.close();
    server?.closeAllConnections();
  });

  const post = (path, body) => fetch(base + path, { method: "POST", body });

  it("says that it is well", async () => {
    const response = await fetch(`${base}/health`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^application\/json\b/);
    assert.deepEqual(await response.json(), { status: "ok" });
  });

  it("echoes a JSON value", async () => {
    const value = { text: "hello", list: [1, 2, null] };
    const response = await post("/echo", JSON.stringify(value));
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^application\/json\b/);
    assert.deepEqual(await response.json(), { echo: value });
  });

  it("answers 400 to a body that is not JSON", async () => {
    const response = await post("/echo", "{ not json");
    assert.equal(response.status, 400);
    assert.equal(typeof (await response.json()).error, "string");
  });

  it("answers 404 for a path that it does not have", async () => {
    const response = await fetch(`${base}/nothing`);
    assert.equal(response.status, 404);
    assert.equal(typeof (await response.json()).error, "string");
  });

  it("answers 405 and the method to use for another method", async () => {
    const response = await fetch(`${base}/echo`);
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "POST");
    await response.arrayBuffer();
  });
});
