import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@swarm/core";

/** A text, tool calls, or the status of an error. */
export type ServedAnswer = string | { tool: string; args: JsonObject }[] | number;
export type ModelServer = {
  url: string;
  requests: { body: JsonObject; authorization: string | undefined }[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** A server that speaks Chat Completions and gives these answers, one a request; behind the last it is overloaded. */
export async function modelServer(answers: readonly ServedAnswer[]): Promise<ModelServer> {
  const requests: ModelServer["requests"] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.end(); // whether it is there
    const body = JSON.parse(await textOf(request)) as JsonObject;
    const answer = answers[requests.length] ?? 503;
    requests.push({ body, authorization: request.headers.authorization });
    response.writeHead(typeof answer === "number" ? answer : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(typeof answer === "number" ? { error: { message: "busy" } } : completion(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function completion(answer: Exclude<ServedAnswer, number>): JsonObject {
  const message =
    typeof answer === "string"
      ? { role: "assistant", content: answer }
      : {
          role: "assistant",
          content: null,
          tool_calls: answer.map(({ tool, args }, nth) => {
            return { id: `c${nth}`, type: "function", function: { name: tool, arguments: JSON.stringify(args) } };
          }),
        };
  const finish_reason = typeof answer === "string" ? "stop" : "tool_calls";
  return { choices: [{ message, finish_reason }], usage: { prompt_tokens: 100, completion_tokens: 20 } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
