import { appendFileSync } from "node:fs";
import {
  type AttemptContext,
  asJson,
  type Done,
  defineProgram,
  faultOf,
  type Json,
  type JsonObject,
  JsonSchema,
  type LLMClient,
  ProviderError,
  type RunContext,
  type Schema,
  type Task,
  type Team,
  type Tool,
  type Turn,
  type Variant,
} from "@swarm/core";
import { conformanceTeam, scripted } from "@swarm/core/testing";
import { z } from "zod";
import type { Attempt, Deed, Move, Plan, StepPlan, Use } from "./plan.ts";

export const MODEL = "scripted:generated";

export const task: Task = {
  id: "generated",
  prompt: "Do what the plan says.",
  source: { files: { "main.txt": "start\n", "a.txt": "a\n" } },
  testFiles: { "checks.json": JSON.stringify([{ id: "main", path: "main.txt", text: "right" }]) },
};

/** What the calls of one life of a run did outside of it: that cannot be undone. */
export type World = {
  /** Sites of model calls that were answered, as `<stepId>|<role>|<attempt>.<nth>`. */
  answered: string[];
  /** Ids of tool calls that were made. */
  made: { id: string; tool: string }[];
};

/** Tells what is done, in this process or to a file. */
export type Witness = { answered(site: string): void; made(id: string, tool: string): void };

export function witnessOf(world: World): Witness {
  return {
    answered: (site) => void world.answered.push(site),
    made: (id, tool) => void world.made.push({ id, tool }),
  };
}

/** A witness that a killed process leaves behind: what was handed to the kernel stays. */
export function witnessIn(file: string): Witness {
  const tell = (value: JsonObject) => appendFileSync(file, `${JSON.stringify(value)}\n`);
  return { answered: (site) => tell({ answered: site }), made: (id, tool) => tell({ made: id, tool }) };
}

export type Options = {
  plan: Plan;
  witness: () => Witness;
  /** A folder for blobs that several processes share. Default: memory. */
  store?: string;
  /** How long each call takes, at least. */
  delayMs?: number;
};

/** The team that does what a plan says. */
export function generatedTeam({ plan, witness, store, delayMs = 0 }: Options): Team {
  const base = conformanceTeam(store === undefined ? {} : { store });
  const pause = () =>
    new Promise<void>((resolve) => (delayMs === 0 ? setImmediate(resolve) : setTimeout(resolve, delayMs)));
  const model = playing(witness, pause);
  const tools = toolsOf(witness, pause);
  return {
    ...base,
    name: "generated",
    config: {},
    roles: {
      coder: { models: [model], system: "Do it.", tools },
      reviewer: { models: [model], system: "Say why.", tools: [] },
    },
    programs: [play, run],
    workflow: (context) => doAll(context, plan.deeds),
  };
}

async function doAll(context: RunContext, deeds: readonly Deed[]): Promise<Json> {
  const report: Json[] = [];
  for (const deed of deeds) report.push(await doDeed(context, deed));
  return report;
}

async function doDeed(context: RunContext, deed: Deed): Promise<Json> {
  switch (deed.deed) {
    case "step":
      return (await context.step(play, asJson(deed.step), { maxRetries: deed.step.attempts.length - 1 })).ok;
    case "all": {
      const lanes = deed.lanes.map((lane, index) => [`l${index}`, (own: RunContext) => doAll(own, lane)] as const);
      return await context.all(Object.fromEntries(lanes));
    }
    case "race": {
      const variants: Variant[] = deed.runners.map((_, seed) => ({ seed }));
      const { ok } = await context.race(run, asJson({ runners: deed.runners, winner: deed.winner }), variants);
      return ok;
    }
    case "freeze": {
      const id = `suite-${context.suites.length}`;
      const files = { [`${id}.json`]: JSON.stringify([{ id, path: "main.txt", text: deed.text }]) };
      return (await context.freeze({ id, author: "coder", runner: "checks", files })).ok;
    }
    case "check":
      return (await context.check(context.suites.map(({ id }) => id))).outcome;
    case "note":
      await context.note("coder", { text: deed.text });
      return deed.text;
  }
}

const play = defineProgram({
  name: "play",
  input: JsonSchema,
  output: JsonSchema,
  async attempt(context, input) {
    const { attempts } = input as unknown as StepPlan;
    const { moves, ends } = attempts[context.attempt] as Attempt;
    const seen = await makeMoves(context, moves);
    if (ends === "thrown") throw new Error("the program is at its end");
    if (ends === "done") return context.done(seen);
    return context.fail(
      faultOf({ code: "NOT_YET", message: `not yet: ${context.hint}`, retryable: ends === "retryable" }),
    );
  },
  async diagnose(context, fault, input) {
    if (!(input as unknown as StepPlan).diagnoses) return fault.message;
    const { parts } = await context.role("reviewer").ask({ turns: [say(`why? ${fault.message}`)] });
    return JSON.stringify(parts);
  },
});

const run = defineProgram({
  name: "run",
  input: JsonSchema,
  output: JsonSchema,
  async attempt(context, input): Promise<Done<Json>> {
    const { runners, winner } = input as unknown as { runners: Move[][]; winner: number | null };
    const seen = await makeMoves(context, runners[context.seed] as Move[]).catch((error: unknown) => {
      if (context.seed === winner) return null; // whatever fails on its way: it is the one that comes in
      throw error;
    });
    return context.seed === winner
      ? context.done(seen)
      : context.fail(faultOf({ code: "LOST", message: "not the one" }));
  },
});

async function makeMoves(context: AttemptContext<Json>, moves: readonly Move[]): Promise<Json> {
  const coder = context.role("coder");
  const turns: Turn[] = [];
  const seen: Json[] = [];
  for (const move of moves) {
    if (move.move === "ask") {
      turns.push(say(`end: ${move.ends}`));
      const { parts } = await coder.ask({ turns });
      turns.push({ role: "assistant", parts });
    } else if (move.move === "use") {
      turns.push(say(`calls: ${JSON.stringify(move.calls)}`));
      const { parts } = await coder.ask({ turns });
      const results = await coder.use(parts.filter((part) => part.type === "tool"));
      turns.push({ role: "assistant", parts }, results);
    } else if (move.move === "test") {
      seen.push((await context.test()).tests.map(({ status }) => status));
    } else if (move.move === "once") {
      seen.push(await context.once(move.name, async () => `${move.name} of ${context.attempt}`));
    } else {
      seen.push(await context.files.list());
    }
  }
  return seen;
}

function say(text: string): Turn {
  return { role: "user", parts: [{ type: "text", text }] };
}

/** Answers what the last turn asks for. */
function playing(witness: () => Witness, pause: () => Promise<void>): LLMClient {
  const failed = new Set<string>();
  const model = scripted(MODEL, (_, { turns }) => {
    const [part] = turns.at(-1)?.parts ?? [];
    const asked = part?.type === "text" ? part.text : "";
    if (!asked.startsWith("calls: ")) return `to ${asked.slice(0, 40)}`;
    const calls: Use[] = JSON.parse(asked.slice("calls: ".length));
    return calls.map(({ tool, ...args }) => ({ tool, args }));
  });
  return {
    ...model,
    async complete(request, options) {
      const { stepId, role, attempt, nth } = options.at;
      const site = `${stepId}|${role}|${attempt}.${nth}`;
      const [part] = request.turns.at(-1)?.parts ?? [];
      const asked = part?.type === "text" ? part.text : "";
      await pause();
      if (asked === "end: permanent") throw new ProviderError("BAD_REQUEST", "will not have it", { retryable: false });
      if (asked === "end: transient" && !failed.has(site)) {
        failed.add(site);
        throw new ProviderError("OVERLOADED", "not now", { status: 529, retryable: true });
      }
      const response = await model.complete(request, options);
      witness().answered(site);
      return response;
    },
  };
}

const input: Schema<Omit<Use, "tool">> = z.strictObject({
  path: z.string(),
  text: z.string(),
  ends: z.enum(["well", "refused", "thrown"]),
});

function toolsOf(witness: () => Witness, pause: () => Promise<void>): Tool<Omit<Use, "tool">>[] {
  const tool = (
    name: Use["tool"],
    { effect, idempotent }: Pick<Tool<Json>, "effect" | "idempotent">,
    act: (use: Omit<Use, "tool">, files: Files) => Promise<string>,
  ): Tool<Omit<Use, "tool">> => ({
    name,
    description: name,
    input,
    effect,
    idempotent,
    async call(use, { workspace, callId }) {
      witness().made(callId, name);
      await pause();
      if (use.ends === "refused") return { ok: false, output: "refused" };
      const files: Files = {
        read: async () => Buffer.from(await workspace.read(use.path)).toString(),
        write: (text) => workspace.write(use.path, text),
        remove: () => workspace.remove(use.path),
      };
      const output = await act(use, files);
      if (use.ends === "thrown") throw new Error("half done");
      return { ok: true, output };
    },
  });
  return [
    tool("look", { effect: "none", idempotent: true }, async (_, { read }) => read().catch(() => "nothing")),
    // not idempotent on purpose: one call too many shows in the file
    tool("append", { effect: "workspace", idempotent: false }, async ({ text }, { read, write }) => {
      const now = `${await read().catch(() => "")}${text}\n`;
      await write(now);
      return now;
    }),
    tool("remove", { effect: "workspace", idempotent: true }, async (_, { remove }) => {
      await remove();
      return "gone";
    }),
    tool("post", { effect: "outside", idempotent: true }, async ({ text }) => `posted ${text}`),
    tool("send", { effect: "outside", idempotent: false }, async ({ text }) => `sent ${text}`),
  ];
}

type Files = { read(): Promise<string>; write(text: string): Promise<void>; remove(): Promise<void> };
