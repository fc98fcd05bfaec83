import { type StdioOptions, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { findCgroupHome, joinCgroups, makeCgroup, possibleHomes, sweepCgroups } from "./cgroups.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

const mount = (root: string, folder: string, type: string, options: string) =>
  `31 23 0:28 ${root} ${folder} rw,relatime shared:9 - ${type} ${type} ${options}`;
const UNIFIED = mount("/", "/sys/fs/cgroup", "cgroup2", "rw,nsdelegate");
const MEMORY = mount("/", "/sys/fs/cgroup/memory", "cgroup", "rw,memory");
const PIDS = mount("/", "/sys/fs/cgroup/pids", "cgroup", "rw,pids");

it.each([
  [
    "beside this process's own group",
    [UNIFIED],
    ["0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope"],
    [{ version: 2, folders: ["/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice"] }],
  ],
  ["at the top", [UNIFIED], ["0::/"], [{ version: 2, folders: ["/sys/fs/cgroup"] }]],
  [
    "in this process's own groups of version 1",
    [MEMORY, PIDS, mount("/", "/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct")],
    ["8:pids:/", "4:memory:/own/group", "1:cpu,cpuacct:/"],
    [{ version: 1, folders: ["/sys/fs/cgroup/memory/own/group", "/sys/fs/cgroup/pids"] }],
  ],
  [
    "in what a container sees of the tree",
    [
      mount("/docker/1f", "/sys/fs/cgroup/memory", "cgroup", "rw,memory"),
      mount("/docker/1f", "/sys/fs/cgroup/pids", "cgroup", "rw,pids"),
    ],
    ["5:pids:/docker/1f", "4:memory:/docker/1f/inner"],
    [{ version: 1, folders: ["/sys/fs/cgroup/memory/inner", "/sys/fs/cgroup/pids"] }],
  ],
  [
    "in version 2 first where there are both",
    [MEMORY, PIDS, mount("/", "/sys/fs/cgroup/unified", "cgroup2", "rw")],
    ["8:pids:/", "4:memory:/", "0::/"],
    [
      { version: 2, folders: ["/sys/fs/cgroup/unified"] },
      { version: 1, folders: ["/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"] },
    ],
  ],
  ["nowhere with a controller missing", [MEMORY], ["4:memory:/"], []],
  ["nowhere without any", [mount("/", "/proc", "proc", "rw")], [""], []],
])("looks for a home %s", (_, mounts, own, homes) => {
  expect(possibleHomes(mounts.join("\n"), own.join("\n"))).toEqual(homes);
});

const home = findCgroupHome();

it("makes groups that bound their members, and removes them, where that is allowed", async () => {
  if (!home) {
    console.warn("NO CONTROL GROUP CAN BE MADE HERE: what bounds memory and processes in their place is tested");
    return;
  }
  const group = makeCgroup(home, { ...DEFAULT_LIMITS, processes: 20 });
  const files = group.members.map((path) => openSync(path, "w"));
  onTestFinished(() => {
    for (const file of files) closeSync(file);
  });
  const stdio: StdioOptions = ["ignore", "pipe", "pipe", ...files];
  const forks = "for n in $(seq 40); do sleep 0.2 & done; wait; echo all";
  const bash = (script: string) => spawnSync("/bin/sh", ["-c", script], { encoding: "utf8", stdio });
  expect(bash(forks)).toMatchObject({ stdout: "all\n" });
  expect(bash(`${joinCgroups(files.map((_, index) => index + 3))}; ${forks}`)).toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(/fork/i),
  });
  expect(group.killedForMemory()).toBe(0);
  sweepCgroups(home); // Its maker lives.
  expect(group.folders.every((folder) => existsSync(folder))).toBe(true);
  await group.remove();
  expect(group.folders.some((folder) => existsSync(folder))).toBe(false);
});

it("removes the groups of processes that are gone", () => {
  if (!home) return;
  const source = JSON.stringify(new URL("./cgroups.ts", import.meta.url).href);
  const script = `
    import { findCgroupHome, makeCgroup } from ${source};
    console.log(JSON.stringify(makeCgroup(findCgroupHome(), { memory: 1e9, processes: 9 }).folders));
    process.kill(process.pid, "SIGKILL");`;
  const flags = ["--conditions=@swarm/source", "--input-type=module", "-e", script];
  const { stdout } = spawnSync(process.execPath, flags, { encoding: "utf8", cwd: import.meta.dirname });
  const folders: string[] = JSON.parse(stdout);
  expect(folders.every((folder) => existsSync(folder))).toBe(true);
  sweepCgroups(home);
  expect(folders.some((folder) => existsSync(folder))).toBe(false);
});
