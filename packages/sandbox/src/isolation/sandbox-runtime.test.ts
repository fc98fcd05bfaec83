import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { expect, it } from "vitest";
import { placeIn } from "./isolation.ts";
import { allowListFrom } from "./network/allow-list.ts";
import { type RuntimePolicy, runtimePolicy, sandboxRuntime } from "./sandbox-runtime.ts";

const place = placeIn("/tmp/swarm-x");
const toolchain = { path: ["/opt/node/bin", "/usr/bin"], folders: ["/Users/me/.pyenv/versions/3.13", "/opt/node/bin"] };

it("tells the library to hide homes, to let nothing be written outside, and to reach the list alone", () => {
  const policy = runtimePolicy({ place, toolchain, network: allowListFrom(["a.org", "*.b.org:8443"]) });
  expect(policy).toEqual({
    network: { allowedDomains: ["a.org:443", "*.b.org:8443"], deniedDomains: [] },
    filesystem: {
      denyRead: expect.arrayContaining([homedir(), "/Users", "/home", "/root"]),
      allowRead: ["/tmp/swarm-x", "/Users/me/.pyenv/versions/3.13", "/opt/node/bin"],
      allowWrite: ["/tmp/swarm-x"],
      denyWrite: [],
    },
  });
  expect(runtimePolicy({ place, toolchain, network: [] }).network.allowedDomains).toEqual([]);
});

it("hands the library a plain process's command, and starts what it makes of it", async () => {
  const policies: RuntimePolicy[] = [];
  const isolation = sandboxRuntime({
    toolchain,
    network: [],
    manager: {
      initialize: async (policy) => void policies.push(policy),
      wrapWithSandbox: async (command, shell, policy) => {
        policies.push(policy);
        return `sandbox ${shell} ${command}`;
      },
      cleanupAfterCommand() {},
    },
  });
  const options = { signal: new AbortController().signal, timeoutMs: 1_000 };
  const own = placeIn(execFileSync("mktemp", ["-d"], { encoding: "utf8" }).trim());
  const argv = ["/bin/echo", "it's", "/workspace/a"];
  const launch = await isolation.launch(own, { argv, cwd: "sub", env: { PATH: "/bin" }, options });
  expect(launch).toMatchObject({ file: "/bin/sh", cwd: `${own.workspace}/sub`, line: true });
  expect(launch.env).toMatchObject({ PATH: "/bin", HOME: `${own.base}/tmp/home` });
  const [flag, command] = launch.args;
  expect(flag).toBe("-c");
  expect(command).toMatch(/^sandbox \/bin\/sh '\/usr\/bin\/env' 'TMPDIR=\/.*\/tmp' '\/bin\/sh' '-c' /);
  expect(command).toContain(`'/bin/echo' 'it'\\''s' '${own.workspace}/a'`);
  expect(policies).toHaveLength(2);
  expect(policies[0]).toEqual(policies[1]);
  execFileSync("rm", ["-r", own.base]);
});
