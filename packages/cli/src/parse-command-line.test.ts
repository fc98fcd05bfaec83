import { InvalidInputError } from "@swarm/core";
import { describe, expect, test } from "vitest";
import { COMMAND_NAMES } from "./flags.ts";
import { parseCommandLine } from "./parse-command-line.ts";

describe("parseCommandLine", () => {
  test("gives every flag of the command a value", () => {
    expect(parseCommandLine(["run", "--task", "a", "--mock", "--model", "x:y", "--model=coder=x:z"])).toEqual({
      command: "run",
      argument: null,
      words: [],
      options: {
        task: "a",
        team: "codeswarm",
        mock: true,
        model: ["x:y", "coder=x:z"],
        race: "1",
        "max-iterations": undefined,
        "qa-max-iterations": undefined,
        "max-debug-iterations": undefined,
        "exec-timeout": undefined,
        "reset-memory": false,
        json: false,
        out: undefined,
        isolation: "preferred",
        "max-calls": undefined,
        "max-tokens": undefined,
        "max-usd": undefined,
        "allow-unpriced": false,
        timeout: undefined,
        log: "progress",
        runs: "runs",
        executor: "local",
        "executor-url": [],
        gate: undefined,
        "gate-url": undefined,
        shared: undefined,
        "s3-endpoint": undefined,
        "s3-region": undefined,
      },
    });
  });

  test.each([
    [["--help"], { help: null }],
    [["-h"], { help: null }],
    [["--version"], { version: true }],
    [["show", "--help"], { help: "show" }],
    [["run", "--no-such-flag", "-h"], { help: "run" }],
  ])("%j", (argv, expected) => {
    expect(parseCommandLine(argv)).toEqual(expected);
  });

  test.each(["max-calls", "max-tokens", "max-usd", "timeout"])("a negative number is a value of --%s", (flag) => {
    for (const argv of [[`--${flag}`, "-1"], [`--${flag}=-1`], [`--${flag}`, "-.5"]]) {
      expect(parseCommandLine(["run", ...argv])).toMatchObject({ options: { [flag]: argv.join("=").split("=")[1] } });
    }
  });

  test("a word after -- is an argument, whatever it looks like", () => {
    expect(parseCommandLine(["show", "--", "--help"])).toMatchObject({ command: "show", argument: "--help" });
  });

  test.each([
    [[], "command", `the commands are ${COMMAND_NAMES.join(", ")}`],
    [["rum"], "rum", "did you mean run?"],
    [["zzzzzz"], "zzzzzz", "the commands are"],
    [["--hlep"], "--hlep", "did you mean --help?"],
    [["run", "--taks", "a"], "--taks", "did you mean --task?"],
    [["run", "--zzzzzzzz"], "--zzzzzzzz", "its flags are --task, --team,"],
    [["run", "-t", "a"], "-t", "is no flag of swarm run"],
    [["run", "--task"], "--task", "needs a value: --task <id|path>"],
    [["run", "--task", "--mock"], "--task", "needs a value"],
    [["run", "--task="], "--task", "needs a value"],
    [["run", "--task", "-1"], "--task", "needs a value"],
    [["run", "--max-calls", "--mock"], "--max-calls", "needs a value"],
    [["run", "--mock=yes"], "--mock", 'takes no value, and was given "yes"'],
    [["run", "--task", "a", "--task", "b"], "--task", "is given twice"],
    [["run", "a", "b"], '"b"', "swarm run takes one [<task>], in quotes"],
    [["show"], "<run>", "is missing"],
    [["show", "a", "b"], '"b"', "swarm show takes one <run>"],
    [["tasks", "--mock"], "--mock", "is no flag of swarm tasks"],
  ])("%j is refused and says what would be right", (argv, field, message) => {
    const error = thrownBy(() => parseCommandLine(argv));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ code: "USAGE", field, message: expect.stringContaining(message) });
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
