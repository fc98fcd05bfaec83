import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocalWorkspace } from "../local-workspace.ts";
import { makeOwnedFolder } from "../owned/owned-folder.ts";
import { directoryBlobs } from "../snapshots/directory-blobs.ts";
import { Trees } from "../snapshots/trees.ts";
import { dockerContainer, dockerEnvironment, dockerRun } from "./docker.ts";
import { placeIn } from "./isolation.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

const { signal } = new AbortController();
const place = placeIn("/tmp/swarm-x");
const limits = { ...DEFAULT_LIMITS, memory: 1_000, processes: 9, temporary: 500, file: 300, descriptors: 50 };

it("tells docker to take every right, the network and the limits away", () => {
  const command = {
    argv: ["python3", "a b"],
    cwd: "sub",
    env: { PATH: "/host", A: "1" },
    options: { signal, timeoutMs: 9 },
  };
  const args = dockerRun({ name: "swarm-1", image: "img", limits, place, command });
  const text = args.join(" ");
  for (const part of [
    "run --rm --init --name swarm-1 ",
    "--network none --read-only --cap-drop ALL --security-opt no-new-privileges",
    `--user ${process.getuid?.()}:${process.getgid?.()}`,
    "--memory 1000 --memory-swap 1000 --pids-limit 9",
    "--ulimit nofile=50 --ulimit fsize=300 --ulimit core=0",
    "--tmpfs /tmp:rw,exec,nosuid,nodev,mode=1777,size=500",
    "--mount type=bind,source=/tmp/swarm-x/workspace,target=/workspace --workdir /workspace/sub",
    "--env HOME=/tmp/home --env TMPDIR=/tmp --env A=1 --entrypoint /bin/sh img -c ",
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain("/host");
  expect(text).not.toMatch(/--privileged|--volume|docker\.sock|--interactive/);
  expect(args.slice(-3)).toEqual(["sh", "python3", "a b"]);
});

it("gives docker's client what it needs to find its daemon, and nothing else", () => {
  expect(dockerEnvironment({ PATH: "/bin", DOCKER_HOST: "x", OPENAI_API_KEY: "k" })).toEqual({
    PATH: "/bin",
    DOCKER_HOST: "x",
  });
});

// Docker itself has never been part of these tests: a script that does what it is told to, here, stands in its place.
describe("with a stand-in for docker", () => {
  let folder: string;
  const path = process.env["PATH"];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "docker-test-"));
    const script = `#!/bin/sh
echo "$1" >> ${folder}/calls
[ "$1" = run ] || exit 0
while [ "$1" != /bin/sh ]; do shift; done
shift 2
cd ${folder}
HOME=${folder}/home exec /bin/sh "$@"
`;
    writeFileSync(join(folder, "docker"), script);
    chmodSync(join(folder, "docker"), 0o755);
    process.env["PATH"] = `${folder}:${path}`;
  });
  afterEach(() => {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true });
  });

  it("tells code, signal, output and channel apart, and ends the container by name", async () => {
    await using workspace = new LocalWorkspace({
      place: placeIn(makeOwnedFolder()),
      isolation: dockerContainer("img", limits),
      path: [],
      trees: new Trees(directoryBlobs(join(folder, "objects"))),
      redact: (text) => text,
    });
    const sh = async (script: string, channel = false) =>
      await workspace.exec(["sh", "-c", script], { signal, timeoutMs: 10_000, channel });
    expect(await sh("echo out; echo err >&2; exit 3")).toMatchObject({ code: 3, signal: null, output: "out\nerr\n" });
    expect(await sh("exit 139")).toMatchObject({ code: null, signal: "SIGSEGV" });
    expect(await sh("echo out; echo side >&3", true)).toMatchObject({ output: "out\n", channel: "side\n" });
    await expect(sh("exit 125")).rejects.toThrow(/docker could not run a container/);
    const modules = { signal, timeoutMs: 10_000, modules: "/usr" };
    await expect(workspace.exec(["true"], modules)).rejects.toThrow(/put the packages into its image/);
    expect(readFileSync(join(folder, "calls"), "utf8")).toBe("run\nrm\n".repeat(4));
  });
});
