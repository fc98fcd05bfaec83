import { spawnSync } from "node:child_process";
import { InvalidInputError } from "@swarm/core";
import { expect, it } from "vitest";
import { DEFAULT_LIMITS, limitsFrom, limitsInShell } from "./limits.ts";

it("takes whole numbers above 0 in place of the defaults", () => {
  expect(limitsFrom({})).toEqual(DEFAULT_LIMITS);
  expect(limitsFrom({ processes: 9 })).toEqual({ ...DEFAULT_LIMITS, processes: 9 });
  for (const processes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => limitsFrom({ processes })).toThrow(InvalidInputError);
  }
  expect(() => limitsFrom({ cpus: 1 } as object)).toThrow(/limits.cpus: is no limit; there are memory, processes/);
});

// Every shell that may be /bin/sh, as far as it is here.
const shells = ["dash", "bash", "busybox"].filter((shell) => spawnSync(shell, ["-c", ":"]).error === undefined);

it.each(shells)("are set by %s", (shell) => {
  const show = "ulimit -v; ulimit -f; ulimit -t; ulimit -n; ulimit -c; (ulimit -u || ulimit -p) 2>/dev/null";
  const limits = { ...DEFAULT_LIMITS, addressSpace: 2 ** 31, file: 2 ** 20, descriptors: 100, processes: 400 };
  const sh = shell === "busybox" ? ["sh"] : shell === "bash" ? ["--posix"] : [];
  const tell = (script: string) => spawnSync(shell, [...sh, "-c", script], { encoding: "utf8" });
  const { stdout, stderr } = tell(`${limitsInShell(limits, 1)}; ${show}`);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^2097152\n2048\n\d+\n100\n0\n400\n$/);
  expect(tell(`ulimit -n 50; ${limitsInShell(limits, 1)}; ulimit -n`).stdout).toBe("50\n");
});
