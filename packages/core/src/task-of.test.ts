import fc from "fast-check";
import { expect, test } from "vitest";
import { TaskSchema } from "./contracts/task.ts";
import { taskOf } from "./task-of.ts";

test("a requirement begins with nothing and brings no test; its id is readable", () => {
  expect(taskOf("  Build a CLI that converts CSV to JSON, with tests\n")).toEqual({
    id: expect.stringMatching(/^build-a-cli-that-converts-csv-[0-9a-f]{6}$/),
    prompt: "Build a CLI that converts CSV to JSON, with tests",
    source: { files: {} },
  });
  expect(taskOf("ein größerer Baum").id).toMatch(/^ein-gr-erer-baum-/);
  expect(taskOf("二分探索木").id).toMatch(/^requirement-/);
  expect(() => taskOf(" \n")).toThrow("task: is empty: say what is to be built");
});

test("any text with something in it is a valid task, with an id that is its own", () => {
  const texts = fc.string({ unit: "binary", minLength: 1 }).filter((text) => text.trim() !== "");
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      expect(TaskSchema.parse(taskOf(one))).toEqual(taskOf(one));
      expect(taskOf(one).id === taskOf(other).id).toBe(one.trim() === other.trim());
    }),
  );
});
