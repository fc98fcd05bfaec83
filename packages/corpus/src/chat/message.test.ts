import type { Turn } from "@swarm/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ChatMessage, ChatMessagesSchema } from "./message.ts";
import { messagesOf } from "./messages-of.ts";

const call = (id: string, args = "{}") => ({
  id,
  type: "function" as const,
  function: { name: "read", arguments: args },
});
const asked = (...ids: string[]): ChatMessage => ({
  ...{ role: "assistant", content: null },
  tool_calls: ids.map((id) => call(id)),
});
const answer = (tool_call_id: string): ChatMessage => ({ role: "tool", tool_call_id, content: "" });
const user: ChatMessage = { role: "user", content: "go on" };

test.each<[string, ChatMessage[]]>([
  ["a system message that is not the first", [user, { role: "system", content: "" }]],
  ["an answer to no call", [user, answer("a")]],
  ["a call that is answered twice", [asked("a"), answer("a"), answer("a")]],
  ["a call that is answered too late", [asked("a"), user, answer("a")]],
  ["a call that is not answered", [asked("a", "b"), answer("b")]],
  ["an id that is used again", [asked("a"), answer("a"), asked("a"), answer("a")]],
  ["a message without anything", [{ role: "assistant", content: null }]],
])("refuses %s", (_, messages) => {
  expect(ChatMessagesSchema.safeParse(messages).success).toBe(false);
});

test.each(["", "{", "[]", "null", "1"])("refuses arguments that are no object: %j", (args) => {
  const messages = [{ role: "assistant", content: null, tool_calls: [call("a", args)] }, answer("a")];
  expect(ChatMessagesSchema.safeParse(messages).success).toBe(false);
});

test("makes messages that are in order of whatever was said", () => {
  const id = fc.constantFrom("", "a", "b", "call_0");
  const text = fc.record({ type: fc.constant("text" as const), text: fc.string() });
  const asks = fc.oneof(
    fc.record({
      type: fc.constant("tool" as const),
      id,
      tool: fc.constantFrom("", "read"),
      args: fc.constant({ path: "a" }),
    }),
    fc.record({
      ...{ type: fc.constant("malformed" as const), id, tool: fc.constant("read"), text: fc.string() },
      problem: fc.constant("no JSON"),
    }),
  );
  const result = fc.record({ type: fc.constant("result" as const), id, ok: fc.boolean(), output: fc.string() });
  const uniqueById = { selector: (part: { type: string; id?: string }) => part.id ?? part, maxLength: 4 };
  const turn: fc.Arbitrary<Turn> = fc.oneof(
    fc.record({ role: fc.constant("assistant" as const), parts: fc.uniqueArray(fc.oneof(text, asks), uniqueById) }),
    fc.record({ role: fc.constant("user" as const), parts: fc.array(fc.oneof(text, result), { maxLength: 4 }) }),
  );
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
      const messages = messagesOf(turns, "system");
      expect(ChatMessagesSchema.parse(messages)).toEqual(messages);
    }),
  );
});
