import { InvalidInputError, SandboxError } from "@swarm/core";
import { expect, test } from "vitest";
import { capture } from "../test/cli.ts";
import { reportError } from "./report-error.ts";

function reported(error: unknown, json: boolean) {
  const [stdout, stderr] = [capture(), capture()];
  const code = reportError(
    error,
    { stdout, stderr, env: {}, cwd: "/", onInterrupt: () => () => {}, exit: () => {} },
    json,
  );
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

test("what the caller can put right is one message, and 2", () => {
  expect(reported(new InvalidInputError("--out", "has content"), false)).toEqual({
    code: 2,
    stdout: "",
    stderr: "swarm: --out: has content\n",
  });
  const denied = Object.assign(new Error("EACCES: permission denied, mkdir 'runs'"), {
    code: "EACCES",
    syscall: "mkdir",
  });
  expect(reported(denied, false)).toMatchObject({
    code: 2,
    stderr: "swarm: EACCES: permission denied, mkdir 'runs'\n",
  });
});

test("with --json it is an object on stdout too", () => {
  const { stdout } = reported(new InvalidInputError("--out", "has content", { code: "USAGE" }), true);
  expect(JSON.parse(stdout)).toEqual({ error: { code: "USAGE", field: "--out", message: "--out: has content" } });
  const other = JSON.parse(reported(new SandboxError("no bubblewrap"), true).stdout);
  expect(other).toEqual({ error: { code: "SANDBOX_FAILED", field: null, message: "no bubblewrap" } });
});

test("a bug shows its stack, says that it is one, and is 1", () => {
  const { code, stdout, stderr } = reported(new TypeError("x is not a function"), true);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^TypeError: x is not a function\n {4}at [\s\S]*this is a bug in swarm; please report it/);
  expect(JSON.parse(stdout).error).toEqual({ code: "BUG", field: null, message: "x is not a function" });
});

test("never steers the terminal", () => {
  expect(reported(new InvalidInputError("x", "\u001b[2Jgone"), false).stderr).not.toContain("\u001b");
});
