import {
  abortReason,
  type CallSite,
  type Json,
  type JsonObject,
  type LLMClient,
  type LLMRequest,
  type LLMResponse,
  type Part,
  ProviderError,
  type StopReason,
  type Tokens,
} from "@swarm/core";
import { chaosText, OUTSIDE } from "./chaos-text.ts";
import { type Random, randomOf } from "./random.ts";
import { sampleJson } from "./sample-json.ts";

/**
 * A model that plays any task and keeps to no manners: sensible calls and answers, and among them unknown tools, wrong
 * and unreadable arguments, ids given twice, huge texts, parts in odd places, nothing at all, refusals, cut answers, odd
 * characters and failing requests. Its answers keep to the contract of `LLMClient`; their content may be anything. They
 * follow from the seed, the call site and the request alone, so they are the same in any process, and a request that
 * failed fails again. What it writes, it aims at the workspace or at paths named `swarm-chaos-outside.txt`, and the
 * commands it runs are harmless, so that an imperfect sandbox does no damage.
 */
export function chaosModel(seed: number): LLMClient {
  return {
    specificationVersion: "v1",
    id: `chaos:${seed}`,
    window: null,
    price: null,
    async complete(request, { signal, at }) {
      if (signal.aborted) throw abortReason(signal);
      const random = randomOf(`${seed}|${at.stepId}|${at.role}|${at.attempt}.${at.nth}`);
      const move = random.pick(random.chance(70) ? SENSIBLE : WILD);
      return move({ request, random, at });
    },
  };
}

type Scene = { request: LLMRequest; random: Random; at: CallSite };
type Move = (scene: Scene) => LLMResponse;

/** What a good model does. */
const SENSIBLE: readonly Move[] = [work, work, answer];

/** What goes wrong with models; each is as likely as any other. */
const WILD: readonly Move[] = [
  function unknownTool(scene) {
    return answered(scene, [call(scene, 0, scene.random.pick(["rm_rf", "", "Write_File", "python", "__proto__"]), {})]);
  },
  function wrongArguments(scene) {
    const args: JsonObject[] = [{}, { path: 7 }, { path: null, content: ["x"] }, { unknown: true }, { argv: "ls" }];
    return answered(scene, [call(scene, 0, toolName(scene), scene.random.pick(args))]);
  },
  function outsideOfTheWorkspace(scene) {
    const path = scene.random.pick(OUTSIDE);
    return answered(scene, [call(scene, 0, toolName(scene), { path, content: "outside" })]);
  },
  function malformed(scene) {
    const broken: Part = {
      type: "malformed",
      id: idOf(scene, 1),
      tool: toolName(scene),
      text: '{"path": "a.py", "content": "x',
      problem: "Unterminated string in JSON",
    };
    return answered(scene, [goodCall(scene, 0), broken, goodCall(scene, 2)]);
  },
  function idTwice(scene) {
    return answered(scene, [goodCall(scene, 0), goodCall(scene, 0)]);
  },
  function hugeText(scene) {
    return answered(scene, [{ type: "text", text: "All work and no play. ".repeat(20_000) }]);
  },
  function hugeArguments(scene) {
    const content = `${chaosText(scene.random)}\n`.repeat(10_000);
    return answered(scene, [call(scene, 0, toolName(scene), { path: pathOf(scene), content })]);
  },
  function manyCalls(scene) {
    return answered(
      scene,
      Array.from({ length: 40 }, (_, index) => goodCall(scene, index)),
    );
  },
  function oddOrder(scene) {
    const result: Part = { type: "result", id: idOf(scene, 0), ok: true, output: "12 passed" };
    return answered(scene, [result, goodCall(scene, 0), { type: "text", text: "Done before it was asked." }]);
  },
  function calledButEnded(scene) {
    return { ...answered(scene, [goodCall(scene, 0)]), stop: "end" };
  },
  function endedButCalls(scene) {
    return { ...answered(scene, [{ type: "text", text: "Let me look at the files." }]), stop: "tool" };
  },
  function nothing(scene) {
    return answered(
      scene,
      scene.random.pick<Part[]>([[], [{ type: "text", text: "" }], [{ type: "text", text: " \n" }]]),
    );
  },
  function refusal(scene) {
    const stop = scene.random.pick<StopReason>(["refusal", "filter"]);
    return { ...answered(scene, [{ type: "text", text: "I cannot help with that." }]), stop };
  },
  function cut(scene) {
    const half: Part[] = scene.random.chance(50) ? [{ type: "text", text: "First I will" }] : [goodCall(scene, 0)];
    return { ...answered(scene, half), stop: "length" };
  },
  function oddCharacters(scene) {
    return answered(scene, [
      { type: "text", text: chaosText(scene.random) },
      call(scene, 0, toolName(scene), { path: `${chaosText(scene.random)}.py`, content: chaosText(scene.random) }),
    ]);
  },
  function foreignReasoning(scene) {
    return answered(scene, [
      { type: "reasoning", provider: "elsewhere", data: { signature: "?" } },
      goodCall(scene, 0),
    ]);
  },
  function transientFault(scene): never {
    const [status, code] = scene.random.pick([
      [429, "RATE_LIMITED"],
      [500, "SERVER_ERROR"],
      [529, "OVERLOADED"],
      [null, "CONNECTION"],
    ] as const);
    throw new ProviderError(code, "chaos: the provider is not itself", { status, retryable: true, retryAfterMs: 1 });
  },
  function permanentFault(scene): never {
    const [status, code] = scene.random.pick([
      [400, "BAD_REQUEST"],
      [401, "AUTHENTICATION"],
      [404, "NOT_FOUND"],
    ] as const);
    throw new ProviderError(code, "chaos: the provider will not have it", { status, retryable: false });
  },
];

/** One to three calls of the offered tools, with arguments that follow their schemas. */
function work(scene: Scene): LLMResponse {
  const { tools, output } = scene.request;
  if (tools.length === 0 || (output !== undefined && scene.random.chance(60))) return answer(scene);
  const calls = Array.from({ length: 1 + scene.random.below(3) }, (_, index) => goodCall(scene, index));
  return answered(scene, scene.random.chance(50) ? [{ type: "text", text: "I will do this next." }, ...calls] : calls);
}

/** The structured output that was asked for: bare, fenced, among prose or damaged. Otherwise a closing text. */
function answer(scene: Scene): LLMResponse {
  const { request, random } = scene;
  if (request.output === undefined) return answered(scene, [{ type: "text", text: "I am done with this step." }]);
  const json = JSON.stringify(sampleJson(request.output, random, (name) => textFor(scene, name)));
  const forms = [
    json,
    json,
    `\`\`\`json\n${json}\n\`\`\``,
    `Here it is: ${json} Good luck!`,
    json.slice(0, -1),
    "null",
  ];
  return answered(scene, [{ type: "text", text: random.pick(forms) }]);
}

function answered({ random }: Scene, parts: Part[]): LLMResponse {
  const counted: Tokens = {
    input: random.below(5000),
    output: random.below(500),
    reasoning: 0,
    cacheRead: 0,
    cacheWrite: 0,
  };
  const calls = parts.some(({ type }) => type === "tool" || type === "malformed");
  return { parts, stop: calls ? "tool" : "end", tokens: random.chance(10) ? null : counted };
}

function goodCall(scene: Scene, index: number): Part {
  if (scene.request.tools.length === 0) return call(scene, index, "read_file", { path: pathOf(scene) });
  const { name, input } = scene.random.pick(scene.request.tools);
  const args: Json = sampleJson(input, scene.random, (property) => textFor(scene, property));
  return call(scene, index, name, typeof args === "object" && !Array.isArray(args) ? (args ?? {}) : {});
}

function call(scene: Scene, index: number, tool: string, args: JsonObject): Part {
  return { type: "tool", id: idOf(scene, index), tool, args };
}

function idOf({ at }: Scene, index: number): string {
  return `chaos_${at.attempt}_${at.nth}_${index}`;
}

function toolName({ request, random }: Scene): string {
  return request.tools.length === 0 ? "write_file" : random.pick(request.tools).name;
}

/** What a property of this name may hold, mostly. */
function textFor(scene: Scene, name: string): string {
  if (/path|file/i.test(name)) return pathOf(scene);
  if (/argv|command/i.test(name)) return scene.random.pick(["echo", "false", "true"]);
  return scene.random.chance(70) ? scene.random.pick(SNIPPETS) : chaosText(scene.random);
}

/** A file that the request speaks of, or a new one. */
function pathOf({ request, random }: Scene): string {
  const spoken = request.turns
    .flatMap(({ parts }) => parts)
    .map((part) => (part.type === "text" ? part.text : part.type === "result" ? part.output : ""))
    .join("\n");
  const paths = spoken.slice(0, 20_000).match(/[\w-]+(?:\/[\w-]+)*\.(?:py|mjs|js|ts|json|md)\b/g) ?? [];
  return random.pick([...new Set(paths), "notes.md", "src/new.mjs"]);
}

const SNIPPETS = [
  "def main():\n    return 42\n",
  "export const answer = 42;\n",
  "raise SystemExit(0)\n",
  "process.exit(0);\n",
  "import os; os._exit(0)\n",
  "def broken(:\n",
  "while True:\n    pass\n",
  "return",
  "",
];
