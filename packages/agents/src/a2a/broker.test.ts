import { canonicalJson, type Json } from "@swarm/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Advertisement, Broker, type Rejection } from "./broker.ts";
import type { Message } from "./message.ts";

const CODER: Advertisement = {
  agent: "coder",
  accepts: [
    { intent: "fix_instruction", from: "qa" },
    { intent: "approved", from: "qa" },
    { intent: "final_report", from: "qa" },
  ],
};
const QA: Advertisement = { agent: "qa", accepts: [{ intent: "review_request", from: "coder" }] };
const EXCHANGE = { taskId: "T1", correlationId: "T1/1" };

const request: Message = {
  ...EXCHANGE,
  sender: "coder",
  receiver: "qa",
  intent: "review_request",
  payload: {
    round: 1,
    explanation: "It is done.",
    plan: "Write it.",
    entryPoint: "a.py",
    files: [{ path: "a.py", verified: true }],
    revision: "revised",
  },
};
const approved: Message = {
  ...EXCHANGE,
  sender: "qa",
  receiver: "coder",
  intent: "approved",
  payload: { round: 1, testsPassed: 2, suites: ["T1"] },
};
const REPLIES: Message[] = [
  approved,
  { ...approved, intent: "fix_instruction", payload: { round: 1, failures: [], instruction: "Mend it." } },
  { ...approved, intent: "final_report", payload: { round: 1, reason: "no_revision", failures: [] } },
];

function broker(...sent: [string, Message][]): Broker {
  const made = new Broker();
  made.advertise(CODER);
  made.advertise(QA);
  made.open(EXCHANGE);
  for (const [from, message] of sent) made.send(from, [message]);
  return made;
}

describe("a broker", () => {
  it.each(REPLIES)("delivers a request, and then one reply ($intent)", (reply) => {
    const made = broker();
    expect(made.send("coder", [request])).toEqual([{ from: "coder", message: request, delivered: true }]);
    expect(made.take("qa")).toEqual([request]);
    expect(made.take("qa")).toEqual([]);
    expect(made.send("qa", [reply])).toMatchObject([{ delivered: true }]);
    expect(made.take("coder")).toEqual([reply]);
  });

  it.each<[string, Rejection, string, Json]>([
    ["of another exchange", "wrong-correlation", "qa", { ...approved, correlationId: "T1/0" }],
    ["about another task", "wrong-task", "qa", { ...approved, taskId: "T2" }],
    ["in another's name", "wrong-sender", "coder", approved],
    ["from oneself", "wrong-sender", "coder", { ...approved, sender: "coder" }],
    ["to one who does not accept it", "undeclared-intent", "qa", { ...approved, receiver: "qa" }],
    ["to nobody", "undeclared-intent", "qa", { ...approved, receiver: "pm" }],
    ["with an intent that nobody knows", "undeclared-intent", "qa", { ...approved, intent: "deploy" }],
    ["with another intent's payload", "malformed", "qa", { ...approved, payload: request.payload }],
    ["with more than a message has", "malformed", "qa", { ...approved, urgent: true }],
    ["that is none", "malformed", "qa", "approved"],
    ["that repeats the request", "out-of-turn", "coder", request],
  ])("discards a message %s", (_, reason, from, message) => {
    const made = broker(["coder", request]);
    expect(made.send(from, [message])).toMatchObject([{ from, message, delivered: false, reason }]);
    expect(made.take("coder")).toEqual([]);
    expect(made.send("qa", [approved])).toMatchObject([{ delivered: true }]); // and goes on
  });

  it("takes no reply before the request, nothing after the reply, and nothing before an exchange is open", () => {
    expect(broker().send("qa", [approved])).toMatchObject([{ reason: "out-of-turn" }]);
    const over = broker(["coder", request], ["qa", approved]);
    for (const reply of REPLIES) expect(over.send("qa", [reply])).toMatchObject([{ reason: "out-of-turn" }]);
    const closed = new Broker();
    closed.advertise(QA);
    expect(closed.send("coder", [request])).toMatchObject([{ reason: "wrong-task" }]);
    closed.open({ taskId: "T1", correlationId: "T1/2" });
    expect(closed.send("coder", [request])).toMatchObject([{ reason: "wrong-correlation" }]);
  });

  it("delivers what fits the present exchange and nothing else, whatever is sent", () => {
    const sound = fc.constantFrom(request, ...REPLIES);
    const change = fc.constantFrom<[string, Json]>(
      ["sender", "pm"],
      ["receiver", "pm"],
      ["receiver", "coder"],
      ["taskId", "T2"],
      ["correlationId", "T1/2"],
      ["intent", "deploy"],
      ["intent", "approved"],
      ["payload", {}],
      ["more", 1],
    );
    const changed = fc.tuple(sound, change).map(([message, [field, value]]) => ({ ...message, [field]: value }));
    const anyOutbox = fc.record({
      from: fc.constantFrom("coder", "qa", "pm"),
      messages: fc.array(fc.oneof(sound, changed, fc.jsonValue()), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(anyOutbox), (outboxes) => {
        const made = broker();
        const fits = (message: unknown) =>
          [request, ...REPLIES].some((sound) => canonicalJson(message as Json) === canonicalJson(sound));
        const receipts = outboxes.flatMap(({ from, messages }) => made.send(from, messages as Json[]));
        expect(receipts).toHaveLength(outboxes.flatMap(({ messages }) => messages).length);
        const delivered = receipts
          .filter((receipt) => receipt.delivered)
          .map(({ from, message }) => {
            expect(fits(message)).toBe(true);
            expect((message as Message).sender).toBe(from);
            return message as Message;
          });
        // one request, then at most one reply; each in its receiver's queue and in no other
        expect(delivered.map(({ intent }) => intent === "review_request")).toEqual(
          [true, false].slice(0, delivered.length),
        );
        expect(made.take("qa")).toEqual(delivered.filter(({ receiver }) => receiver === "qa"));
        expect(made.take("coder")).toEqual(delivered.filter(({ receiver }) => receiver === "coder"));
        expect(made.take("pm")).toEqual([]);
      }),
    );
  });
});
