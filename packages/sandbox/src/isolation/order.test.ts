import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { orderOf } from "./order.ts";

const folder = mkdtempSync(join(tmpdir(), "order-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = { signal: new AbortController().signal, timeoutMs: 1 };
const text = fc.string({ unit: "binary" }).filter((one) => !one.includes("\0"));
const variables = fc.dictionary(fc.stringMatching(/^T_[a-z]{1,5}$/), text);

it("gives a command its words, its variables and its input as they are", () => {
  const file = join(folder, "input");
  fc.assert(
    fc.property(fc.array(text), variables, fc.option(text, { nil: undefined }), (words, env, input) => {
      const show = [
        "sh",
        "-c",
        'printf "%s\\0" "$@"; env -0 | grep -az ^T_; printf "\\0"; cat',
        "sh",
        "first",
        ...words,
      ];
      const options = input === undefined ? run : { ...run, input };
      const order = orderOf({ argv: show, env, cwd: "", options }, ":", 3) ?? "exit";
      writeFileSync(file, input ?? "not asked for");
      const descriptor = openSync(file, "r");
      const stdio = ["pipe", "pipe", "pipe", descriptor] as const;
      const { stdout } = spawnSync("sh", { input: order, env: { PATH: process.env["PATH"] ?? "" }, stdio: [...stdio] });
      closeSync(descriptor);
      const said = stdout.toString().split("\0");
      expect(said.slice(0, words.length + 1)).toEqual(["first", ...words]);
      expect(new Set(said.slice(words.length + 1, -2))).toEqual(
        new Set(Object.entries(env).map(([name, value]) => `${name}=${value}`)),
      );
      expect(said.slice(-2)).toEqual(["", input ?? ""]);
    }),
    { numRuns: 30 },
  );
});

it("is none for a name that no shell can say, and for more than fits", () => {
  const order = (env: Record<string, string>, ...argv: string[]) =>
    orderOf({ argv: ["true", ...argv], env, cwd: "", options: run }, ":", 3);
  expect(order({ A: "1" })).not.toBeNull();
  for (const name of ["a.b", "1A", "A B", "$(id)", "A;id"]) expect(order({ [name]: "1" })).toBeNull();
  expect(order({}, "x".repeat(200_000))).toBeNull();
});
