import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { createApi } from "../src/server.mjs";

describe("the service under other requests", () => {
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

  it("ignores the query of a path", async () => {
    const response = await fetch(`${base}/health?verbose=1`);
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: "ok" });
  });

  it("echoes values of every kind", async () => {
    for (const value of [null, false, 0, "", [], "naïve 😀"]) {
      const response = await post("/echo", JSON.stringify(value));
      assert.deepEqual(await response.json(), { echo: value });
    }
  });

  it("puts a character together that arrives in two pieces", async () => {
    const body = Buffer.from('"é😀"');
    const sent = request(`${base}/echo`, { method: "POST", headers: { "content-length": body.length } });
    const [response] = await new Promise((resolve, reject) => {
      once(sent, "response").then(resolve, reject);
      sent.write(body.subarray(0, 2), () => setImmediate(() => sent.end(body.subarray(2))));
    });
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    assert.deepEqual(JSON.parse(text), { echo: "é😀" });
  });

  it("answers 400 to an empty body", async () => {
    const response = await post("/echo", "");
    assert.equal(response.status, 400);
    await response.arrayBuffer();
  });

  it("names GET for the health path", async () => {
    const response = await post("/health", "{}");
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "GET");
    await response.arrayBuffer();
  });

  it("answers 413 to a body above the limit, and goes on", async () => {
    const limit = await post("/echo", JSON.stringify("x".repeat(100_000 - 2)));
    assert.equal(limit.status, 200);
    await limit.arrayBuffer();
    const response = await post("/echo", JSON.stringify("x".repeat(100_000)));
    assert.equal(response.status, 413);
    await response.arrayBuffer();
    assert.equal((await fetch(`${base}/health`)).status, 200);
  });

  it("serves several requests at once without mixing them up", async () => {
    const values = Array.from({ length: 10 }, (_, index) => ({ index }));
    const answers = await Promise.all(values.map(async (value) => (await post("/echo", JSON.stringify(value))).json()));
    assert.deepEqual(
      answers,
      values.map((echo) => ({ echo })),
    );
  });
});
