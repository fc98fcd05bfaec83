import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { assertReachable } from "./reachable.ts";

let server: Server;
afterEach(() => new Promise((done) => server.close(done).closeAllConnections()));

async function listen(onRequest: Parameters<typeof createServer>[1]): Promise<string> {
  server = createServer(onRequest);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a server that takes a connection and says nothing has timed out", async () => {
  const host = await listen(() => {});
  const fault = assertReachable("vllm:m", `http://${host}/v1`, "start it", 50);
  await expect(fault).rejects.toMatchObject({ code: "TIMEOUT", retryable: true });
  await expect(fault).rejects.toThrow(/no answer within 50 ms.*start it/);
});

test("an answer that leads elsewhere is an answer, and is not followed", async () => {
  const asked: string[] = [];
  const host = await listen((request, response) => {
    asked.push(request.url!);
    response.writeHead(302, { location: "/login" }).end();
  });
  await assertReachable("vllm:m", `http://${host}/v1`, "start it");
  expect(asked).toEqual(["/v1"]);
});

test("a password in the address is not told", async () => {
  const host = await listen(() => {});
  const fault = await assertReachable("vllm:m", `http://me:hunter2@${host}/v1`, "", 50).catch((error) => error);
  expect(fault.message).toContain(`at http://${host}`);
  expect(fault.message).not.toContain("hunter2");
});
