import { codeswarm } from "@swarm/agents";
import {
  type CallSite,
  costReport,
  createGuard,
  type GuardOptions,
  type JsonObject,
  type LLMClient,
  memoryLogStore,
  runTask,
  type Task,
  type Trajectory,
} from "@swarm/core";
import { assertSoundRun, conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  answering,
  anthropicEvents,
  anthropicWire,
  chatWire,
  responsesEvents,
  responsesWire,
  type Sketch,
  sse,
  WIRES,
  type Wire,
} from "../packages/llm/test/wire.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

/** The calls of an undisturbed run, in their order: the task brings no tests, so that every role has its say. */
const POSITIONS = [
  "tester 0.0",
  "planner 0.0",
  "coder 0.0",
  "coder 0.1",
  "reviewer 0.0",
  "coder 1.0",
  "coder 1.1",
] as const;
type Position = (typeof POSITIONS)[number];

const { testFiles, ...task } = conformanceTask;
const withoutTests: Task = task;

const write = (text: string): Sketch => ({
  calls: [{ id: "call_1", name: "write_file", args: JSON.stringify({ path: "main.txt", content: text }) }],
  stop: "tool",
});

/** What the model says at a place: the first attempt is wrong, every later one right. `acted`: its tool was called already. */
function sketchAt({ role, attempt }: CallSite, acted: boolean): Sketch {
  if (role === "tester") {
    const files = Object.entries(testFiles!).map(([path, content]) => ({ path, content: content as string }));
    return { text: JSON.stringify({ runner: "pytest", files }) };
  }
  if (role === "planner") return { text: JSON.stringify({ steps: [{ title: "Write", instructions: "Write it." }] }) };
  if (role === "reviewer") return { text: "It has to say right." };
  if (acted) return { text: "Done." };
  return write(attempt === 0 ? "wrong\n" : "right\n");
}

const nameOf = ({ role, attempt, nth }: CallSite) => `${role} ${attempt}.${nth}`;

/** The wire's client, and the place of the call that it makes. */
function located(wire: Wire) {
  const place = { at: "" };
  let current: CallSite = { stepId: "", role: "", attempt: 0, nth: 0 };
  let acted = false;
  const client: LLMClient = {
    ...wire.client,
    complete(request, options) {
      current = options.at;
      place.at = nameOf(current);
      acted = request.turns.some(({ parts }) => parts.some(({ type }) => type === "result"));
      return wire.client.complete(request, options);
    },
  };
  return { client, place, answer: () => wire.answer(sketchAt(current, acted)) };
}

async function runOn(models: readonly [LLMClient, ...LLMClient[]], policy: GuardOptions = {}): Promise<Trajectory> {
  const { sandbox, tests, oracle } = conformanceTeam().defaults;
  const guard = createGuard({ baseMs: 1, maxMs: 5, ...policy });
  const trajectory = await runTask(withoutTests, {
    team: codeswarm({ model: models }),
    sandbox: sandbox(),
    tests: tests(),
    oracle: { ...oracle(), validate() {}, prepare: async () => [] },
    store: memoryLogStore(),
    guard,
  });
  guard.dispose();
  assertSoundRun(trajectory);
  return trajectory;
}

/** A run in which the provider's first `times` answers at `position` are `fault`. */
async function runWith(wire: Wire, position: Position | null, fault: (wire: Wire) => Response, times: number) {
  const { client, place, answer } = located(wire);
  let left = times;
  const requests = answering(server, wire, () => (place.at === position && left-- > 0 ? fault(wire) : answer()));
  const trajectory = await runOn([client]);
  return { trajectory, requests: requests.length };
}

/** Everything that went wrong and got better, with who it happened to: in the order of the log. */
function happened({ events }: Trajectory): string[] {
  return events.flatMap(({ key, agent, payload }) => {
    const who = agent ?? "";
    if (payload.type === "note" && payload.note["event"] === "retry")
      return [`retry ${roleIn(payload.note)} ${payload.note["attempt"]}`];
    if (payload.type === "note" && payload.note["event"] === "breaker")
      return [`breaker ${roleIn(payload.note)} ${payload.note["to"]}`];
    if (payload.type === "begin" && key === null) return [`made again ${who}`];
    if (payload.type === "end" && payload.fault && key !== null) return [`call ${who} ${payload.fault.code}`];
    if (payload.type === "fault") return [`fault ${payload.fault.code}`];
    return payload.type === "recovered" ? [`recovered ${payload.how}`] : [];
  });
}
const roleIn = (note: JsonObject) => String(note["dependency"]).split(":")[1];

/** What an undisturbed run tells: the first delivery is wrong, and a hint mends it. */
const ANYWAY = ["fault TEST_FAILED", "recovered hint"];
const without = (all: readonly string[], some: readonly string[]) => {
  const left = [...all];
  for (const one of some) if (left.includes(one)) left.splice(left.indexOf(one), 1);
  return left;
};

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (wire: Wire) =>
    HttpResponse.json(wire.error("a fault"), { status: code, headers });
const lost = () => HttpResponse.error() as Response;
const eventsOf = (wire: Wire) => (wire === anthropicWire ? anthropicEvents : responsesEvents);
const errorEvent = (wire: Wire): JsonObject =>
  wire === anthropicWire
    ? { type: "error", error: { type: "overloaded_error", message: "busy", details: null } }
    : { type: "error", code: "server_overloaded", message: "busy", param: null };

/** An answer that begins and breaks off: without `error` as a connection does. */
function broken(wire: Wire, error: "no error" | "an error", content: "before any content" | "after content"): Response {
  const report = error === "an error";
  if (wire === chatWire) {
    // not streamed: what comes before the end is a body that is no whole one, or that reports its error
    const message = { role: "assistant", content: content === "after content" ? "I will now" : "" };
    if (!report) return new HttpResponse(brokenBody('{"choices":[{"mess'), JSON_BODY);
    return HttpResponse.json({ choices: [{ index: 0, message, error: { code: 529, message: "busy" } }] });
  }
  const all = eventsOf(wire)({ text: "I will now" });
  const isDelta = ({ type }: JsonObject) => String(type).endsWith("delta") && type !== "message_delta";
  const begun = content === "after content" ? all.slice(0, all.findIndex(isDelta) + 1) : all.slice(0, 1);
  return sse(report ? [...begun, errorEvent(wire)] : begun);
}
const JSON_BODY = { headers: { "content-type": "application/json" } };

function brokenBody(start: string): ReadableStream {
  return new ReadableStream({
    start: (body) => body.enqueue(new TextEncoder().encode(start)),
    pull: (body) => body.error(new Error("the socket was closed")),
  });
}

const LONG_AGO = "Thu, 01 Jan 1998 00:00:00 GMT";

/** `whole`: the code where answers are not streamed. */
type Kind = { name: string; fault: (wire: Wire) => Response; code: string; whole?: string; perhapsBilled?: true };
const TRANSIENT: Kind[] = [
  { name: "429 with retry-after-ms", fault: status(429, { "retry-after-ms": "1" }), code: "RATE_LIMITED" },
  { name: "429 with a date that is over", fault: status(429, { "retry-after": LONG_AGO }), code: "RATE_LIMITED" },
  { name: "408", fault: status(408), code: "TIMEOUT", perhapsBilled: true },
  { name: "500", fault: status(500), code: "SERVER_ERROR" },
  { name: "503 with retry-after", fault: status(503, { "retry-after": "0" }), code: "OVERLOADED" },
  { name: "529", fault: status(529), code: "OVERLOADED" },
  { name: "a lost connection", fault: lost, code: "CONNECTION", perhapsBilled: true },
  {
    name: "an error event before any content",
    fault: (wire) => broken(wire, "an error", "before any content"),
    code: "OVERLOADED",
  },
  {
    name: "an answer that is cut off",
    fault: (wire) => broken(wire, "no error", "after content"),
    code: "INTERRUPTED",
    whole: "CONNECTION",
    perhapsBilled: true,
  },
];
const PERMANENT: Kind[] = [
  { name: "400", fault: status(400), code: "BAD_REQUEST" },
  { name: "401", fault: status(401), code: "AUTHENTICATION" },
  { name: "403", fault: status(403), code: "PERMISSION" },
  { name: "404", fault: status(404), code: "NOT_FOUND" },
  { name: "413", fault: status(413), code: "CONTEXT_TOO_LONG" },
  { name: "429 with a wait beyond the ceiling", fault: status(429, { "retry-after": "3600" }), code: "RATE_LIMITED" },
  {
    name: "an error event after content",
    fault: (wire) => broken(wire, "an error", "after content"),
    code: "INTERRUPTED",
    perhapsBilled: true,
  },
  { name: "an answer in no form at all", fault: () => HttpResponse.json({ odd: true }), code: "BAD_RESPONSE" },
];

/** Four requests at the place; then a fresh attempt of that step, for the coder with a reviewer's hint before it. */
const REQUESTS_AFTER_EXHAUSTION: Record<Position, number> = {
  "tester 0.0": 4 + POSITIONS.length,
  "planner 0.0": 1 + 4 + (POSITIONS.length - 1),
  "coder 0.0": 2 + 4 + 1 + 2,
  "coder 0.1": 3 + 4 + 1 + 2,
  "reviewer 0.0": 4 + 4 + 2,
  "coder 1.0": 5 + 4 + 1 + 2,
  "coder 1.1": 6 + 4 + 1 + 2,
};

describe.each(WIRES)("$name", (wire) => {
  test("an undisturbed run makes its seven requests", async () => {
    const { trajectory, requests } = await runWith(wire, null, lost, 0);
    expect(trajectory.verdict.outcome).toBe("verified");
    expect(requests).toBe(POSITIONS.length);
    expect(happened(trajectory)).toEqual(ANYWAY);
    expect(costReport(trajectory).calls.map(({ role }) => role)).toEqual(POSITIONS.map((at) => at.split(" ")[0]));
  });

  describe.each(POSITIONS)("at %s", (position) => {
    const role = position.split(" ")[0];
    const isReviewer = role === "reviewer";

    test.each(TRANSIENT)(
      "$name, once: one request more, and a retry in the log",
      async ({ fault, perhapsBilled = false }) => {
        const { trajectory, requests } = await runWith(wire, position, fault, 1);
        expect(trajectory.verdict.outcome).toBe("verified");
        expect(requests).toBe(POSITIONS.length + 1);
        const again = perhapsBilled ? [`made again ${role}`] : [];
        expect(without(happened(trajectory), ANYWAY)).toEqual([`retry ${role} 1`, ...again]);
        // what may have been billed is charged
        expect(trajectory.usage.modelCalls).toBe(POSITIONS.length + again.length);
      },
    );

    test.each(TRANSIENT)(
      "$name, for good: four requests, then the step's own recovery",
      async ({ fault, code: streamed, whole = streamed, perhapsBilled = false }) => {
        const code = wire === chatWire ? whole : streamed;
        const { trajectory, requests } = await runWith(wire, position, fault, 4);
        expect(trajectory.verdict.outcome).toBe("verified");
        expect(requests).toBe(REQUESTS_AFTER_EXHAUSTION[position]);
        const tries = [1, 2, 3].flatMap((nth) => [
          `retry ${role} ${nth}`,
          ...(perhapsBilled ? [`made again ${role}`] : []),
        ]);
        const hint = role === "coder" ? ["recovered hint"] : [];
        const anyway = isReviewer ? ANYWAY.slice(0, 1) : position.startsWith("coder 0") ? [] : ANYWAY;
        expect(without(happened(trajectory), anyway)).toEqual([
          ...tries,
          `call ${role} ${code}`,
          `fault ${code}`,
          ...hint,
        ]);
      },
    );

    test.each(PERMANENT)("$name: one request, and its reason", async ({ name, fault, code }) => {
      const { trajectory, requests } = await runWith(wire, position, fault, 1);
      const told = without(happened(trajectory), ANYWAY);
      // to a stream that holds no event an answer in no form is one that broke off: that may be tried again
      const isCut = name === "an answer in no form at all" && wire !== chatWire;
      if (isCut) {
        expect(told[0]).toBe(`retry ${role} 1`);
        return;
      }
      expect(told.filter((one) => !one.startsWith("recovered"))).toEqual([`call ${role} ${code}`, `fault ${code}`]);
      if (isReviewer) {
        expect(trajectory.verdict.outcome).toBe("verified"); // the next attempt has to do without a hint
        expect(requests).toBe(POSITIONS.length);
      } else {
        expect(trajectory.verdict.outcome).toBe(code === "CONTEXT_TOO_LONG" ? "failed" : "infra-error");
        expect(trajectory.report).toMatchObject({ problem: { code } });
        const program = { tester: "|write-tests|", planner: "|plan|" }[role!] ?? "|implement|";
        expect(trajectory.failureSignature).toContain(program);
        expect(requests).toBe(POSITIONS.indexOf(position) + 1);
      }
    });

    test.each(["refusal", "filter"] as const)("a %s: one request, and terminal", async (stop) => {
      const refused = (wire: Wire) => wire.answer({ stop, reason: "I will not." });
      const { trajectory, requests } = await runWith(wire, position, refused, 1);
      expect(happened(trajectory).filter((one) => one.startsWith("retry"))).toEqual([]);
      expect(trajectory.verdict.outcome).toBe(isReviewer ? "verified" : "failed");
      if (!isReviewer) expect(trajectory.report).toMatchObject({ problem: { code: "MODEL_REFUSED" } });
      expect(requests).toBe(isReviewer ? POSITIONS.length : POSITIONS.indexOf(position) + 1);
    });
  });

  test("a provider that is down for good ends the run with its reason", async () => {
    const requests = answering(server, wire, () => status(500)(wire));
    const trajectory = await runOn([wire.client]);
    expect(trajectory.verdict.outcome).toBe("infra-error");
    expect(trajectory.report).toMatchObject({ planned: 0, problem: { code: "SERVER_ERROR" } });
    expect(requests).toHaveLength(2 * 4); // the suite is asked for twice, with three retries each
  });
});

describe("a circuit that opens", () => {
  const retries = ["retry coder 1", "retry coder 2", "retry coder 3"];

  /** The coder's model fails from its first call on. */
  function coderDown(wire: Wire) {
    const { client, place, answer } = located(wire);
    const requests = answering(server, wire, () => (place.at.startsWith("coder") ? status(500)(wire) : answer()));
    return { client, requests };
  }

  test.each([
    [anthropicWire, responsesWire],
    [responsesWire, chatWire],
    [chatWire, anthropicWire],
  ])("goes to the next model: from $name", async (wire, other) => {
    const { client, requests } = coderDown(wire);
    const second = located(other);
    const others = answering(server, other, second.answer);
    const trajectory = await runOn([client, second.client], { failureThreshold: 1 });
    expect(trajectory.verdict.outcome).toBe("verified");
    // tester, planner, the four tries and the reviewer; then the coder's second attempt is the other model's
    expect([requests.length, others.length]).toEqual([2 + 4 + 1, 2]);
    const refused = "call coder CIRCUIT_OPEN";
    expect(happened(trajectory)).toEqual([
      ...retries,
      "breaker coder open",
      "call coder SERVER_ERROR",
      "fault SERVER_ERROR",
      "recovered hint",
      ...[0, 1].flatMap(() => [refused, "recovered fallback"]),
    ]);
  });

  test.each(WIRES)("without another model ends the step as a failure that is told: $name", async (wire) => {
    const { client, requests } = coderDown(wire);
    const trajectory = await runOn([client], { failureThreshold: 1 });
    expect(trajectory.verdict.outcome).toBe("infra-error");
    expect(trajectory.report).toMatchObject({ planned: 1, problem: { code: "CIRCUIT_OPEN" } });
    expect(requests).toHaveLength(2 + 4 + 1);
    expect(happened(trajectory)).toEqual([
      ...retries,
      "breaker coder open",
      "call coder SERVER_ERROR",
      "fault SERVER_ERROR",
      "recovered hint",
      "call coder CIRCUIT_OPEN",
      "fault CIRCUIT_OPEN",
    ]);
  });

  test.each(WIRES)("of a chain of models is told for each of them: $name", async (wire) => {
    const { client, requests } = coderDown(wire);
    const chain = [client, { ...client, id: `${client.id}-2` }, { ...client, id: `${client.id}-3` }] as const;
    const trajectory = await runOn(chain, { failureThreshold: 1, retries: 0 });
    expect(trajectory.report).toMatchObject({ problem: { code: "CIRCUIT_OPEN" } });
    const opened = happened(trajectory).filter((one) => one === "breaker coder open");
    expect(opened).toHaveLength(3);
    // an attempt for each model that fails, with a reviewer between, until none is left
    expect(requests).toHaveLength(2 + 3 + 3);
  });
});
