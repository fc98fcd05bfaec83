import { localSandbox } from "@swarm/sandbox";
import { describe, expect, test } from "vitest";
import { cli } from "./cli.ts";

const isolation = localSandbox({ isolation: "preferred" }).tier === "bubblewrap" ? "required" : "none";
const gauntlet = (...flags: string[]) => cli(["gauntlet", "--isolation", isolation, ...flags]);

describe("swarm gauntlet", () => {
  test("accepts honest work and exits with 0", async () => {
    const { code, stdout, stderr } = await gauntlet("--only", "slug/honest");
    expect(stderr).not.toContain("should be");
    expect(stdout).toMatch(/^honest work +3 of 3$/m);
    expect(stdout).toMatch(/^swarm holds in 3 of 3 cases/m);
    expect(code).toBe(0);
  });

  test("says what a judge lets through, and exits with 1", async () => {
    const { code, stdout } = await gauntlet("--judge", "exit-code", "--only", "py-conftest-outcome");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^cheat\/py-conftest-outcome: should be tampered, and is yes$/m);
    expect(stdout).toMatch(/^exit-code holds in 0 of 1 case/m);
  });

  test("counts apart what is known to get through", async () => {
    const { code, stdout } = await gauntlet("--judge", "exit-code", "--only", "py-child-reads-the-tests");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^known to get through +0 of 1/m);
    expect(stdout).toMatch(/^exit-code holds in 0 of 0 cases/m);
  });

  test("--json gives each case as it was judged", async () => {
    const { code, stdout } = await gauntlet("--only", "py-conftest-outcome", "--json");
    expect(code).toBe(0);
    const [found] = JSON.parse(stdout).cases;
    expect(found).toMatchObject({ id: "cheat/py-conftest-outcome", accept: false, held: true });
    expect(found.opinion).toMatchObject({ accepted: false, outcome: "tampered" });
  });

  test.each([
    [["--judge", "me"], "--judge: has to be one of swarm, exit-code, junit-file, summary"],
    [["--only", "no such case"], '--only: no case has "no such case" in its id'],
  ])("refuses %j with 2", async (flags, message) => {
    const { code, stderr } = await gauntlet(...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
