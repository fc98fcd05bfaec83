import type { Task } from "@swarm/core";
import { describe, expect, it } from "vitest";
import { cleanRoomOracle } from "./clean-room-oracle.ts";

const task: Task = {
  id: "t",
  prompt: "p",
  source: { files: {} },
  testFiles: { "tests/test_x.py": "", "tests/data.json": "{}" },
  oracle: { runner: "pytest" },
};
const validate = (changes: Partial<Task>) => () => cleanRoomOracle().validate({ ...task, ...changes });

describe("validate", () => {
  it("accepts tests with their runner, named test files, and a task without tests", () => {
    expect(validate({})).not.toThrow();
    expect(validate({ oracle: { runner: "pytest", entries: ["tests/data.json"] } })).not.toThrow();
    expect(() => cleanRoomOracle().validate({ id: "t", prompt: "p", source: { files: {} } })).not.toThrow();
    expect(validate({ hiddenTestFiles: { "test_h.py": "" } })).not.toThrow();
  });

  it.each<[string, Partial<Task>, string, string]>([
    ["an unknown runner", { oracle: { runner: "nose" } }, "oracle.runner", "pytest, node:test"],
    ["no runner", { oracle: {} }, "oracle.runner", "pytest, node:test"],
    [
      "an entry that is not there",
      { oracle: { runner: "pytest", entries: ["tests/x.py"] } },
      "oracle.entries[0]",
      '"tests/x.py" is not among testFiles: tests/test_x.py, tests/data.json',
    ],
    [
      "a name inherited by objects",
      { oracle: { runner: "pytest", entries: ["toString"] } },
      "oracle.entries[0]",
      "not among",
    ],
    ["no test file", { testFiles: { "a.py": "" } }, "testFiles", "oracle.entries"],
    [
      "an id of another file",
      { oracle: { runner: "pytest", tests: ["test_y.py::test_a"] } },
      "oracle.tests[0]",
      "tests/test_x.py",
    ],
    ["an unknown setting", { oracle: { runner: "pytest", entry: [] } }, "oracle.entry", "is no field"],
    [
      "a setting of the wrong type",
      { oracle: { runner: "pytest", entries: ["tests/test_x.py", 1] } },
      "oracle.entries[1]",
      "string",
    ],
    [
      "hidden entries without hidden tests",
      { oracle: { runner: "pytest", hiddenEntries: ["a"] } },
      "oracle.hiddenEntries",
      "hiddenTestFiles",
    ],
    ["hidden files without a test", { hiddenTestFiles: { "a.py": "" } }, "hiddenTestFiles", "oracle.hiddenEntries"],
  ])("refuses %s and names the field", (_, changes, field, message) => {
    expect(validate(changes)).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT", field, message: expect.stringContaining(message) }),
    );
  });

  it("refuses tests without settings, and settings without tests", () => {
    const { oracle: _, ...bare } = task;
    expect(() => cleanRoomOracle().validate(bare)).toThrow(expect.objectContaining({ field: "oracle.runner" }));
    const { testFiles: __, ...idle } = task;
    expect(() => cleanRoomOracle().validate(idle)).toThrow(expect.objectContaining({ field: "oracle" }));
  });
});
