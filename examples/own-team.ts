// A team of one's own: a writer builds, the tests are run, and a critic who may only read says what to change, until the tests
// pass or the rounds are spent. Its model is scripted, so that it runs offline; tools and tests are real.
import { askFor, localPorts, runAgent } from "@swarm/agents";
import { defineProgram, defineTeam, type LLMClient, runTask, type Task, type Team, testFault } from "@swarm/core";
import { scripted } from "@swarm/core/testing";
import { codingTools, readingTools } from "@swarm/tools";
import { z } from "zod";

// A program is one kind of step. What it is given and gives is plain JSON that its schemas check.
const build = defineProgram({
  name: "build",
  input: z.strictObject({ advice: z.string().nullable() }),
  output: z.strictObject({ summary: z.string() }),
  async attempt(context, { advice }) {
    const prompt = [context.task.prompt, ...(advice === null ? [] : [`Your code failed its tests: ${advice}`])];
    const { text } = await runAgent(context.role("writer"), prompt.join("\n\n"));
    return context.done({ summary: text });
  },
});

// No role has a part in this one: it costs no token, and no model says whether the work is right.
const check = defineProgram({
  name: "check",
  input: z.null(),
  output: z.null(),
  async attempt(context) {
    const fault = testFault(await context.test());
    return fault ? context.fail(fault) : context.done(null);
  },
});

const CritiqueSchema = z.strictObject({ critique: z.string().min(1) });
const criticise = defineProgram({
  name: "criticise",
  input: z.strictObject({ failure: z.string() }),
  output: CritiqueSchema,
  async attempt(context, { failure }) {
    const answer = await askFor(context.role("critic"), CritiqueSchema, `${failure}\n\nSay what to change, and why.`);
    return answer.ok ? context.done(answer.output) : context.fail(answer.fault);
  },
});

/** Writer and critic. `rounds`: how often the writer may try. */
export function pair({ model, rounds = 3 }: { model: LLMClient; rounds?: number }): Team {
  return defineTeam({
    specificationVersion: "v1",
    name: "pair",
    version: "1",
    config: { models: { writer: [model.id], critic: [model.id] }, rounds },
    roles: {
      writer: { models: [model], system: "You write small, right programs with your tools.", tools: codingTools },
      critic: { models: [model], system: "You read code, and find why its tests fail.", tools: readingTools },
    },
    programs: [build, check, criticise],
    // A step builds on what the one before it left. What this returns is the trajectory's report.
    async workflow(run) {
      let advice: string | null = null;
      for (let round = 1; ; round++) {
        const built = await run.step(build, { advice }, { maxRetries: 1 });
        const checked = await run.step(check, null);
        const status = checked.ok ? "passed" : "failed";
        await run.note("writer", { round: { task: String(round), status, snapshot: run.snapshot } });
        if (checked.ok || round === rounds) return { rounds: round, built: built.ok, status };
        const { message: failure } = checked.fault;
        const criticised = await run.step(criticise, { failure });
        advice = criticised.ok ? criticised.output.critique : failure;
      }
    },
    defaults: localPorts,
  });
}

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "../slug.mjs";
test("joins words", () => assert.equal(slug("Hello World"), "hello-world"));
test("drops signs", () => assert.equal(slug("  What? No!  "), "what-no"));
`;
const task: Task = {
  id: "slug",
  prompt: "Write slug(text) in slug.mjs: lower case, words joined by a dash, and nothing but letters and digits.",
  source: { files: { "slug.mjs": "export const slug = () => {};\n" } },
  testFiles: { "tests/slug.test.mjs": TEST },
  oracle: { runner: "node:test" },
};
const writes = (body: string) => [{ tool: "write_file", args: { path: "slug.mjs", content: `export ${body}\n` } }];
const model = scripted("mock:pair", {
  "run/build|writer|0.0": writes('const slug = (text) => text.toLowerCase().replaceAll(" ", "-");'),
  "run/criticise|critic|0.0": JSON.stringify({ critique: "Signs stay. Take the words out, and join those." }),
  "run/build.2|writer|0.0": writes('const slug = (text) => text.toLowerCase().match(/[a-z0-9]+/g).join("-");'),
  "*|writer|*.*": "Done.",
});

const { report, verdict } = await runTask(task, { team: pair({ model }) });
console.log(`Report: ${JSON.stringify(report)}\nVerdict: ${verdict.outcome}`);
if (!verdict.passed) process.exitCode = 1;
