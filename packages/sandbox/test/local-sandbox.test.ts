import { execFile } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { InvalidInputError, SandboxError } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture, never, processesWith, run, sleepersOf, temporaryFolder, tiers, uniqueSleep } from "./support.ts";

const folder = temporaryFolder();

it("runs these tests in both tiers, or says which is missing", () => {
  if (!tiers.includes("bubblewrap")) console.warn("BUBBLEWRAP DOES NOT WORK HERE: only the process tier is tested");
  expect(tiers).toContain("process");
});

it("does nothing when it is made", () => {
  localSandbox({ store: join(folder.path, "unused") });
  expect(existsSync(join(folder.path, "unused"))).toBe(false);
});

it("refuses a choice that is none", () => {
  expect(() => localSandbox({ isolation: "docker" as "none" })).toThrow(InvalidInputError);
});

it("is in the process tier by choice", () => {
  expect(localSandbox({ isolation: "none" }).tier).toBe("process");
});

describe.runIf(tiers.includes("bubblewrap"))("under bubblewrap", () => {
  const fx = fixture("bubblewrap", folder);
  const sh = async (script: string) => {
    const ws = await fx.open();
    return await ws.exec(["sh", "-c", script], run());
  };

  it("says so", () => {
    expect(localSandbox({ isolation: "required" }).tier).toBe("bubblewrap");
    expect(localSandbox().tier).toBe("bubblewrap");
  });

  it("but not where bubblewrap cannot be run", async () => {
    const script = `
      import { localSandbox } from "@swarm/sandbox";
      const tell = (isolation) => { try { return localSandbox({ isolation }).tier } catch (e) { return e.code + " " + e.message } };
      const others = [{ sandboxRuntime: {} }, { docker: { image: "x" } }, { sandboxRuntime: {}, isolation: "none" }];
      const told = [...["none", "preferred", "required"].map(tell), ...others.map((options) => localSandbox(options).tier)];
      console.log(JSON.stringify(told));`;
    const hidden = [
      "--dev-bind",
      "/",
      "/",
      "--ro-bind",
      "/dev/null",
      "/usr/bin/bwrap",
      "--setenv",
      "DOCKER_HOST",
      "unix:///none",
      "--",
    ];
    const node = [process.execPath, "--conditions=@swarm/source", "--input-type=module", "-e", script];
    const { stdout } = await promisify(execFile)("bwrap", [...hidden, ...node], { cwd: import.meta.dirname });
    const [none, preferred, required, ...others] = JSON.parse(stdout);
    expect([none, preferred]).toEqual(["process", "process"]);
    expect(others).toEqual(["sandbox-runtime", "process", "process"]);
    expect(required).toMatch(
      /^SANDBOX_FAILED bubblewrap does not work here: .* Install the package bubblewrap, .* isolation: "none"/,
    );
  });

  it("rejects when a command cannot be launched", async () => {
    const ws = await fx.open();
    expect((await ws.exec(["true"], run())).code).toBe(0);
    rmSync(join(fx.folderOf(ws), "../etc/passwd"));
    await expect(ws.exec(["true"], run())).rejects.toThrow(SandboxError);
    await expect(ws.exec(["true"], run())).rejects.toThrow(/bubblewrap could not run the command: bwrap: /);
  });

  it("rejects when a command's sandbox is killed, which says nothing about the command", async () => {
    const ws = await fx.open();
    const sleep = uniqueSleep();
    const running = ws.exec(["sh", "-c", `sleep ${sleep}; true`], run());
    running.catch(() => {});
    await expect.poll(() => sleepersOf(sleep).length, { timeout: 15_000 }).toBe(1);
    const [outermost] = processesWith(`sleep ${sleep}; true`).sort((a, b) => a - b);
    process.kill(Number(outermost), "SIGKILL");
    await expect(running).rejects.toThrow(SandboxError);
    await expect(running).rejects.toThrow(/ended from outside, by SIGKILL/);
    expect(processesWith(sleep)).toEqual([]);
    expect((await ws.exec(["true"], run())).code).toBe(0);
  });

  it("gives commands no rights", async () => {
    const { output } = await sh("grep -E '^(Cap|NoNewPrivs)' /proc/self/status; id -u; id -un; hostname");
    expect(output.replaceAll("\t", " ")).toBe(
      `${["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}: 0000000000000000\n`).join("")}NoNewPrivs: 1\n1000\nswarm\nswarm\n`,
    );
    expect((await sh("unshare -U true")).code).not.toBe(0);
  });

  it("lets commands write nowhere but to their own", async () => {
    for (const path of [
      "/x",
      "/usr/x",
      "/etc/x",
      "/dev/x",
      "/proc/sys/kernel/core_uses_pid",
      "/etc/passwd",
      "$(command -v python3)",
    ]) {
      expect((await sh(`echo 1 > ${path}`)).code, path).not.toBe(0);
    }
    expect(await sh("echo 1 > /tmp/x && echo 1 > ~/x && echo 1 > /dev/shm/x && echo 1 > /workspace/x")).toMatchObject({
      code: 0,
    });
    expect((await sh("head -c 400M /dev/zero > /tmp/big")).code).not.toBe(0);
  });

  it("shows commands nothing of the host", async () => {
    writeFileSync(join(folder.path, "secret"), "secret");
    const sleep = uniqueSleep();
    const ws = await fx.open();
    const script = `cat ${folder.path}/secret; ls -A /root /home; cat /etc/shadow; cat /proc/[0-9]*/environ; echo; ls -d /proc/[0-9]* | wc -l`;
    process.env["SECRET_OF_HOST"] = "secret of host";
    try {
      const { output } = await ws.exec(["sh", "-c", script], run());
      expect(output).not.toMatch(/^secret$/m);
      expect(output).not.toContain("secret of host");
      expect(output).not.toMatch(/^root:[^\n]/m);
      expect(Number(output.trim().split("\n").at(-1))).toBeLessThan(8);
    } finally {
      delete process.env["SECRET_OF_HOST"];
    }
    expect(processesWith(sleep)).toEqual([]);
  });

  describe("has no network", () => {
    let server: Server;
    let port: number;
    beforeAll(async () => {
      server = createServer((socket) => socket.end("host"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      port = (server.address() as { port: number }).port;
    });
    afterAll(() => server.close());

    it("but its own", async () => {
      const connect = `import socket; print(socket.create_connection(("127.0.0.1", ${port}), 2).recv(9))`;
      const ws = await fx.open();
      expect((await ws.exec(["python3", "-c", connect], run())).output).toContain("ConnectionRefusedError");
      const own = `
import socket, threading
s = socket.create_server(("localhost", 0))
threading.Thread(target=lambda: s.accept()[0].sendall(b"own")).start()
print(socket.create_connection(("localhost", s.getsockname()[1]), 2).recv(9))`;
      expect((await ws.exec(["python3", "-c", own], run())).output).toBe("b'own'\n");
      const plain = localSandbox({ store: join(folder.path, "objects"), isolation: "none" });
      const snapshot = await plain.snapshots.put({ files: {} });
      await using open = await plain.open({ snapshot, lane: "x" }, { signal: never });
      expect((await open.exec(["python3", "-c", connect], run())).output).toBe("b'host'\n");
    });
  });
});
