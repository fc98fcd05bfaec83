import { timingSafeEqual } from "node:crypto";
import { Agent, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps, Agent as SecureAgent } from "node:https";
import { InvalidInputError, type Json, SwarmError, sha256 } from "@swarm/core";
import { type ErrorData, errorData } from "../protocol.ts";

/** The most that one request may hold: far above what a model is asked or a tool gives out. */
const MAX_BYTES = 256 * 1024 * 1024;

const agents = { "http:": new Agent({ keepAlive: true }), "https:": new SecureAgent({ keepAlive: true }) };

export type HttpAnswer = { status: number; body: unknown };

/** One JSON request. Rejects when there was no whole answer: then it is not known whether it was done. */
export function sendJson(
  method: "GET" | "POST",
  url: string,
  { token, body, timeoutMs, signal }: { token: string | null; body?: Json; timeoutMs: number; signal?: AbortSignal },
): Promise<HttpAnswer> {
  const target = new URL(url);
  const secure = target.protocol === "https:";
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const request = (secure ? requestHttps : requestHttp)(target, {
    method,
    agent: secure ? agents["https:"] : agents["http:"],
    headers: {
      "content-type": "application/json",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(signal ? { signal } : {}),
  });
  const late = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  request.once("error", reject);
  request.once("response", (response) => {
    readJson(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return promise.finally(() => clearTimeout(late));
}

export async function readJson(message: IncomingMessage): Promise<unknown> {
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  let size = 0;
  message.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) message.destroy(new SwarmError("TOO_LARGE", `a request may hold ${MAX_BYTES} bytes at most`));
  });
  message.once("end", resolve);
  message.once("error", reject);
  await whole;
  return size === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export function answerError(response: ServerResponse, status: number, error: unknown): void {
  answerJson(response, status, { error: errorData(error) });
}

export function errorIn(body: unknown): ErrorData | null {
  const error = (body as { error?: Partial<ErrorData> } | null)?.error;
  return typeof error?.message === "string" && typeof error.code === "string"
    ? { refused: error.refused === true, code: error.code, message: error.message, retryable: error.retryable ?? null }
    : null;
}

/** The bearer token of a request, or "" where there is none. */
export function tokenOf(request: IncomingMessage): string {
  return /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
}

/** Compares in a time that tells nothing of where the two differ. */
export function sameToken(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

/** Refuses to be reached from other machines by whoever asks. */
export function requireToken(host: string, token: string | null, field: string): void {
  if (token !== null && token.length < 16)
    throw new InvalidInputError(field, "is shorter than 16 characters; give a long random one");
  if (token === null && !isLoopback(host))
    throw new InvalidInputError(
      field,
      `is missing: on ${host} others can reach the worker; give a token, or 127.0.0.1`,
    );
}
