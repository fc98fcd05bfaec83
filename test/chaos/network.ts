import { spawnSync } from "node:child_process";

/** Addresses that no machine outside of the tests has: this process's side, and the workers' from here on. */
const NET = "10.213.77";

export type Network = {
  /** Where workers reach this machine. */
  host: string;
  /** A machine of its own on the network: its address, and the command that runs what follows it there. */
  machine(nth: number): { host: string; within: string[] };
  /** Takes a machine off the network: nothing that is sent comes through, and nobody is told. */
  cut(nth: number): void;
  heal(nth: number): void;
  remove(): void;
};

/** A bridge with a network namespace for each machine; or in words why there cannot be one here. */
export function network(machines: number): Network | string {
  if (process.platform !== "linux") return "network namespaces are Linux's";
  if (process.getuid?.() !== 0) return "network namespaces need root";
  if (spawnSync("ip", ["-V"]).error) return "there is no ip (Debian's package iproute2)";
  const tag = `sw${process.pid.toString(36)}`;
  const inside = (nth: number) => `${tag}n${nth}`;
  const cable = (nth: number) => `${tag}c${nth}`;
  const remove = () => {
    for (let nth = 0; nth < machines; nth++) {
      attempt(["link", "del", cable(nth)]);
      attempt(["netns", "del", inside(nth)]);
    }
    attempt(["link", "del", tag]);
  };
  const commands = [
    ["link", "add", tag, "type", "bridge"],
    ["addr", "add", `${NET}.1/24`, "dev", tag],
    ["link", "set", tag, "up"],
    ...Array.from({ length: machines }, (_, nth) => [
      ["netns", "add", inside(nth)],
      ["link", "add", cable(nth), "type", "veth", "peer", "name", "eth0", "netns", inside(nth)],
      ["link", "set", cable(nth), "master", tag, "up"],
      ["-n", inside(nth), "addr", "add", `${NET}.${10 + nth}/24`, "dev", "eth0"],
      ["-n", inside(nth), "link", "set", "eth0", "up"],
      ["-n", inside(nth), "link", "set", "lo", "up"],
    ]).flat(),
  ];
  for (const command of commands) {
    const problem = attempt(command);
    if (problem === null) continue;
    remove();
    return `ip ${command.join(" ")} failed: ${problem}`;
  }
  return {
    host: `${NET}.1`,
    machine: (nth) => ({ host: `${NET}.${10 + nth}`, within: ["ip", "netns", "exec", inside(nth)] }),
    cut: (nth) => ip(["link", "set", cable(nth), "nomaster"]),
    heal: (nth) => ip(["link", "set", cable(nth), "master", tag]),
    remove,
  };
}

function ip(args: readonly string[]): void {
  const problem = attempt(args);
  if (problem !== null) throw new Error(`ip ${args.join(" ")} failed: ${problem}`);
}

/** Null where it worked, else why not. */
function attempt(args: readonly string[]): string | null {
  const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
  return status === 0 ? null : stderr.trim();
}
