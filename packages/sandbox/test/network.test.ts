import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { ExecOptions, Workspace } from "@swarm/core";
import { type LocalSandbox, localSandbox } from "@swarm/sandbox";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { never, run, temporaryFolder, tiers } from "./support.ts";

const folder = temporaryFolder();

it("is tested where bubblewrap works", () => {
  if (!tiers.includes("bubblewrap")) console.warn("BUBBLEWRAP DOES NOT WORK HERE: no allow-list is tested");
});

describe.runIf(tiers.includes("bubblewrap"))("a sandbox whose commands may reach some hosts", () => {
  const servers: Server[] = [];
  let [allowed, other] = [0, 0];
  let sandbox: LocalSandbox;
  let ws: Workspace;

  beforeAll(async () => {
    const serving = async (text: string) => {
      const server = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(text)));
      servers.push(server);
      await once(server.listen(0, "127.0.0.1"), "listening");
      return (server.address() as { port: number }).port;
    };
    allowed = await serving("allowed");
    other = await serving("not allowed");
    const network = [`127.0.0.1:${allowed}`, `localhost:${allowed}`, "no-such-host.invalid"];
    sandbox = localSandbox({ store: join(folder.path, "objects"), isolation: "required", network });
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });
  beforeEach(async () => {
    const snapshot = await sandbox.snapshots.put({ files: {} });
    ws = await sandbox.open({ snapshot, lane: "test" }, { signal: never });
  });
  afterEach(async () => await ws[Symbol.asyncDispose]());

  const python = async (script: string, options: Partial<ExecOptions> = {}) =>
    await ws.exec(["python3", "-I", "-c", `import os, socket, urllib.parse\n${script}`], run(options));
  /** What the proxy says to a request, and what comes through it. */
  const ask = async (request: string) => {
    const script = `
proxy = urllib.parse.urlparse(os.environ["HTTPS_PROXY"])
s = socket.create_connection((proxy.hostname, proxy.port), 5)
s.sendall(${JSON.stringify(request)}.encode())
head = s.recv(999)
if b"200" in head: s.sendall(b"hello")
print(head.decode() + s.recv(999).decode())`;
    return (await python(script)).output;
  };
  const connecting = (target: string) => ask(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);

  it("says so", () => expect(sandbox.tier).toBe("bubblewrap+network"));

  it("lets through what is on the list", async () => {
    expect(await connecting(`127.0.0.1:${allowed}`)).toMatch(/^HTTP\/1.1 200 .*\n\n*allowed\n$/s);
  });

  it("refuses what is not, and what hides where it leads", async () => {
    expect(await connecting(`127.0.0.1:${other}`)).toMatch(/^HTTP\/1.1 403 .*is not on the list of this sandbox/s);
    expect(await connecting(`localhost:${allowed}`)).toMatch(/^HTTP\/1.1 403 .*localhost leads to no public address/s);
    expect(await connecting("no-such-host.invalid:443")).toMatch(/^HTTP\/1.1 502 /);
    expect(await connecting(`127.0.0.1:${allowed}@evil.org:${allowed}`)).toMatch(/^HTTP\/1.1 403 .*no host and port/s);
    expect(await ask(`GET http://127.0.0.1:${allowed}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1.1 405 /);
  });

  it("has no other way out", async () => {
    const { output } = await python(`socket.create_connection(("127.0.0.1", ${allowed}), 2)`);
    expect(output).toContain("ConnectionRefusedError");
  });

  it("runs commands as they would be run without", async () => {
    expect(await ws.exec(["sh", "-c", "cat; exit 7"], run({ input: "in" }))).toMatchObject({ code: 7, output: "in" });
    expect(await ws.exec(["sh", "-c", "kill -SEGV $$"], run())).toMatchObject({ signal: "SIGSEGV" });
    expect(await ws.exec(["sh", "-c", "echo told >&3"], run({ channel: true }))).toMatchObject({ channel: "told\n" });
    expect(await ws.exec(["./none"], run())).toMatchObject({ code: 127 });
    const asked = "trap 'echo bye; exit 5' TERM; echo ready; sleep 60 & wait";
    expect(await ws.exec(["sh", "-c", asked], run({ timeoutMs: 1_000 }))).toMatchObject({
      code: 5,
      timedOut: true,
      output: "ready\nbye\n",
    });
  });

  it("is never taken for one that cuts the network off", () => {
    const cut = localSandbox({ store: join(folder.path, "objects"), isolation: "required", network: [] });
    expect(cut.tier).toBe("bubblewrap");
  });
});
