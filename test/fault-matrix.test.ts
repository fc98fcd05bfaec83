import { codeswarm } from "@swarm/agents";
import { type CallSite, createGuard, type LLMClient, memoryLogStore, runTask, type Trajectory } from "@swarm/core";
import { assertSoundRun, conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  answering,
  anthropicEvents,
  anthropicWire,
  chatWire,
  responsesWire,
  type Sketch,
  sse,
  type Wire,
} from "../packages/llm/test/wire.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

/** The calls of an undisturbed run, in their order. */
const POSITIONS = ["planner 0.0", "coder 0.0", "coder 0.1", "reviewer 0.0", "coder 1.0", "coder 1.1"] as const;
type Position = (typeof POSITIONS)[number];

const write = (text: string): Sketch => ({
  calls: [{ id: "call_1", name: "write_file", args: JSON.stringify({ path: "main.txt", content: text }) }],
  stop: "tool",
});

/** What the model says at a place: the first attempt is wrong, every later one right. */
function sketchAt({ role, attempt, nth }: CallSite): Sketch {
  if (role === "planner") return { text: JSON.stringify({ steps: [{ title: "Write", instructions: "Write it." }] }) };
  if (role === "reviewer") return { text: "It has to say right." };
  if (nth > 0) return { text: "Done." };
  return write(attempt === 0 ? "wrong\n" : "right\n");
}

const nameOf = ({ role, attempt, nth }: CallSite) => `${role} ${attempt}.${nth}`;

/** A run in which the provider's first `times` answers at `position` are `fault`. */
async function runWith(wire: Wire, position: Position | null, fault: (wire: Wire) => Response, times: number) {
  let current: CallSite = { stepId: "", role: "", attempt: 0, nth: 0 };
  let left = times;
  const requests = answering(server, wire, () => {
    if (nameOf(current) === position && left-- > 0) return fault(wire);
    return wire.answer(sketchAt(current));
  });
  const client: LLMClient = {
    ...wire.client,
    complete(request, options) {
      current = options.at;
      return wire.client.complete(request, options);
    },
  };
  const { sandbox, tests, oracle } = conformanceTeam().defaults;
  const guard = createGuard({ baseMs: 1, maxMs: 5 });
  const trajectory = await runTask(conformanceTask, {
    team: codeswarm({ model: client }),
    sandbox: sandbox(),
    tests: tests(),
    oracle: oracle(),
    store: memoryLogStore(),
    guard,
  });
  guard.dispose();
  assertSoundRun(trajectory);
  return { trajectory, requests: requests.length };
}

const retries = ({ events }: Trajectory) =>
  events.filter(({ payload }) => payload.type === "note" && payload.note["event"] === "retry").length;
const faultCodes = ({ events }: Trajectory) =>
  events.flatMap(({ key, payload }) =>
    key !== null && payload.type === "end" && payload.fault ? [payload.fault.code] : [],
  );

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (wire: Wire) =>
    HttpResponse.json(wire.error("a fault"), { status: code, headers });
const lost = () => HttpResponse.error() as Response;

const TRANSIENT: [string, (wire: Wire) => Response, string][] = [
  ["429 with retry-after-ms", status(429, { "retry-after-ms": "1" }), "RATE_LIMITED"],
  ["408", status(408), "TIMEOUT"],
  ["500", status(500), "SERVER_ERROR"],
  ["503", status(503), "OVERLOADED"],
  ["529", status(529), "OVERLOADED"],
  ["a lost connection", lost, "CONNECTION"],
];
const PERMANENT: [string, (wire: Wire) => Response, string][] = [
  ["400", status(400), "BAD_REQUEST"],
  ["401", status(401), "AUTHENTICATION"],
  ["403", status(403), "PERMISSION"],
  ["404", status(404), "NOT_FOUND"],
  ["429 with a wait beyond the ceiling", status(429, { "retry-after": "3600" }), "RATE_LIMITED"],
];

describe.each([anthropicWire, responsesWire, chatWire])("$name", (wire) => {
  test("an undisturbed run makes its six requests", async () => {
    const { trajectory, requests } = await runWith(wire, null, lost, 0);
    expect(trajectory.verdict.outcome).toBe("verified");
    expect(requests).toBe(POSITIONS.length);
    expect(retries(trajectory)).toBe(0);
  });

  describe.each(POSITIONS)("at %s", (position) => {
    test.each(TRANSIENT)("%s, once: one request more, and a retry in the log", async (_, fault) => {
      const { trajectory, requests } = await runWith(wire, position, fault, 1);
      expect(trajectory.verdict.outcome).toBe("verified");
      expect(requests).toBe(POSITIONS.length + 1);
      expect(retries(trajectory)).toBe(1);
      expect(faultCodes(trajectory)).toEqual([]);
    });

    test.each(TRANSIENT)("%s, for good: four requests, then the step's own recovery", async (_, fault, code) => {
      const { trajectory, requests } = await runWith(wire, position, fault, 4);
      expect(trajectory.verdict.outcome).toBe("verified");
      expect(retries(trajectory)).toBe(3);
      expect(faultCodes(trajectory)).toEqual([code]);
      expect(requests).toBe(REQUESTS_AFTER_EXHAUSTION[position]);
    });

    test.each(PERMANENT)("%s: one request, and its reason", async (_, fault, code) => {
      const { trajectory, requests } = await runWith(wire, position, fault, 1);
      expect(faultCodes(trajectory)).toEqual([code]);
      expect(retries(trajectory)).toBe(0);
      if (position === "reviewer 0.0") {
        expect(trajectory.verdict.outcome).toBe("verified"); // the next attempt has to do without a hint
        expect(requests).toBe(POSITIONS.length);
      } else {
        expect(trajectory.verdict.outcome).toBe("infra-error");
        expect(trajectory.report).toMatchObject({ problem: { code } });
        expect(trajectory.failureSignature).toContain(position.startsWith("planner") ? "|plan|" : "|implement|");
        expect(requests).toBe(POSITIONS.indexOf(position) + 1);
      }
    });

    test("a refusal: one request, and terminal", async () => {
      const refused = (wire: Wire) => wire.answer({ stop: "refusal", reason: "I will not." });
      const { trajectory, requests } = await runWith(wire, position, refused, 1);
      expect(retries(trajectory)).toBe(0);
      const goesOn = position === "reviewer 0.0";
      expect(trajectory.verdict.outcome).toBe(goesOn ? "verified" : "failed");
      if (!goesOn) expect(trajectory.report).toMatchObject({ problem: { code: "MODEL_REFUSED" } });
      expect(requests).toBe(goesOn ? POSITIONS.length : POSITIONS.indexOf(position) + 1);
    });
  });
});

/** Four requests at the place; then a fresh attempt of that step, for the coder with a reviewer's hint before it. */
const REQUESTS_AFTER_EXHAUSTION: Record<Position, number> = {
  "planner 0.0": 4 + POSITIONS.length,
  "coder 0.0": 1 + 4 + 1 + 2,
  "coder 0.1": 2 + 4 + 1 + 2,
  "reviewer 0.0": 3 + 4 + 2,
  "coder 1.0": 4 + 4 + 1 + 2,
  "coder 1.1": 5 + 4 + 1 + 2,
};

describe("an error inside a stream", () => {
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "busy", details: null } };
  test("before any content is retried like a 529", async () => {
    const start = anthropicEvents({}).slice(0, 1);
    const { trajectory, requests } = await runWith(anthropicWire, "coder 0.0", () => sse([...start, overloaded]), 1);
    expect(trajectory.verdict.outcome).toBe("verified");
    expect([requests, retries(trajectory)]).toEqual([POSITIONS.length + 1, 1]);
  });
  test("after content is not made again blindly", async () => {
    const begun = anthropicEvents({ text: "I will now" }).slice(0, 4);
    const { trajectory, requests } = await runWith(anthropicWire, "coder 0.0", () => sse([...begun, overloaded]), 1);
    expect(trajectory.report).toMatchObject({ problem: { code: "INTERRUPTED" } });
    expect([requests, retries(trajectory)]).toEqual([2, 0]);
  });
});

test("a provider that is down for good ends the run with its reason", async () => {
  const down = { ...chatWire, answer: () => status(500)(chatWire) };
  const { trajectory, requests } = await runWith(down, null, lost, 0);
  expect(trajectory.verdict.outcome).toBe("infra-error");
  expect(trajectory.report).toMatchObject({ planned: 0, problem: { code: "SERVER_ERROR" } });
  expect(requests).toBe(2 * 4); // the plan is asked for twice, with three retries each
});
