import type { Json } from "@swarm/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answer, malformed, roleDouble, text, tool } from "../test/role-double.ts";
import { askFor } from "./structured.ts";

const Plan = z.strictObject({ steps: z.array(z.string()).min(1) });
const good = { steps: ["a {", 'b "}"'] };
const say = (words: string) => answer([text(words)]);

describe("askFor", () => {
  it.each([
    ["JSON alone", JSON.stringify(good)],
    ["JSON with blanks around it", `\n  ${JSON.stringify(good, null, 2)}\n`],
    ["a fenced block", `Here it is:\n\`\`\`json\n${JSON.stringify(good, null, 2)}\n\`\`\`\nThat's all.`],
    ["prose around it", `I'd say {this}: ${JSON.stringify(good)} — it's "fine" [1].`],
    ["other JSON that does not fit", `Not {"steps":[]} and not [1,2], but ${JSON.stringify(good)}`],
    ["the same value twice", `${JSON.stringify(good)}\n\n${JSON.stringify(good, null, 1)}`],
  ])("takes %s", async (_, words) => {
    const role = roleDouble([say(words)]);
    expect(await askFor(role, Plan, "plan")).toEqual({ ok: true, output: good });
    expect(role.asked[0]!.output).toMatchObject({ type: "object", required: ["steps"] });
  });

  it.each([
    ["no JSON", "I'd rather not {say", /no complete JSON value/],
    ["two values that fit", '{"steps":["a"]} or {"steps":["b"]}', /2 different values/],
    ["a value that does not fit", '{"steps":[1]}', /does not fit the schema:\n.*expected string.*\n.*steps\[0\]/],
    ["a value inside of another", '{"plan":{"steps":["a"]}}', /does not fit/],
  ])("tells what is wrong with %s, and takes the next answer", async (_, words, problem) => {
    const role = roleDouble([say(words), say(JSON.stringify(good))]);
    expect(await askFor(role, Plan, "plan")).toEqual({ ok: true, output: good });
    expect(role.asked[1]!.turns.map((turn) => turn.role)).toEqual(["user", "assistant", "user"]);
    expect(role.asked[1]!.turns.at(-1)!.parts[0]).toMatchObject({ text: expect.stringMatching(problem) });
  });

  it("gives up after the re-asks that were allowed", async () => {
    for (const maxReasks of [0, 1, 2]) {
      const role = roleDouble(Array.from({ length: maxReasks + 1 }, () => say("no")));
      const fault = { code: "NO_VALID_OUTPUT", retryable: true, message: expect.stringContaining("no complete JSON") };
      expect(await askFor(role, Plan, "plan", { maxReasks })).toMatchObject({ ok: false, fault });
      expect(role.asked).toHaveLength(maxReasks + 1);
    }
  });

  it("ends at a refusal, also of a re-ask", async () => {
    const refused = answer([text("never")], "refusal");
    const fault = { code: "MODEL_REFUSED", retryable: false, message: "the model refused: never" };
    expect(await askFor(roleDouble([refused]), Plan, "plan")).toMatchObject({ ok: false, fault });
    expect(await askFor(roleDouble([say("?"), refused]), Plan, "plan")).toMatchObject({ ok: false, fault });
  });

  it("lets the role use its tools first, and says when its calls are spent", async () => {
    const role = roleDouble([answer([tool("a")]), answer([tool("b")]), say(JSON.stringify(good))]);
    expect(await askFor(role, Plan, "plan", { maxCalls: 4 })).toEqual({ ok: true, output: good });
    expect(role.used).toEqual([["a"]]);
    const roles = role.asked[2]!.turns.map((turn) => turn.role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(JSON.stringify(role.asked[2]!.turns.at(-1))).toContain("2 model calls are spent");
  });

  it("asks again after an answer that was cut off or that held a call nobody can read", async () => {
    const cut = answer([text('{"steps":["a')], "length");
    const role = roleDouble([answer([malformed("m", "{'")]), cut, say(JSON.stringify(good))]);
    expect(await askFor(role, Plan, "plan")).toEqual({ ok: true, output: good });
  });

  it("finds the value in any prose", async () => {
    const steps = fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 4 });
    // prose without a bracket cannot hold JSON of its own; a bracket of prose is followed by what JSON cannot have there
    const noise = fc
      .array(
        fc.oneof(
          fc.string({ unit: "binary" }).map((s) => s.replace(/[{}[\]]/g, "")),
          fc.constantFrom("{x}", "[see]", "`", '"', "{ ", "[!"),
        ),
      )
      .map((words) => `${words.join(" ")} `);
    await fc.assert(
      fc.asyncProperty(noise, steps, noise, fc.boolean(), async (before, steps, after, spaced) => {
        const json = JSON.stringify({ steps }, null, spaced ? 2 : undefined);
        const role = roleDouble([say(`${before}§ ${json} §${after}`)]);
        expect(await askFor(role, Plan, "plan", { maxReasks: 0 })).toEqual({ ok: true, output: { steps } });
      }),
    );
  });

  it("never takes what the schema does not", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), async (value, prose) => {
        const role = roleDouble([say(prose + JSON.stringify(value))]);
        const result = await askFor<Json>(role, Plan as never, "plan", { maxReasks: 0 });
        if (result.ok) expect(Plan.safeParse(result.output).success).toBe(true);
        else expect(result.fault.code).toBe("NO_VALID_OUTPUT");
      }),
    );
  });

  it("is quick and does not break on hostile text", async () => {
    for (const words of [
      "{".repeat(100_000),
      "[1,".repeat(50_000),
      `x {"a":"${"\\n".repeat(200_000)}`,
      "[".repeat(3_000_000),
    ]) {
      const result = await askFor(roleDouble([say(words)]), Plan, "plan", { maxReasks: 0 });
      expect(result).toMatchObject({ ok: false, fault: { code: "NO_VALID_OUTPUT" } });
    }
  });
});
