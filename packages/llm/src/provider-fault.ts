import { headAndTail, messageOf, ProviderError } from "@swarm/core";
import { retryAfterMs } from "./retry-after.ts";
import { TimedOut } from "./time-limits.ts";

type Kind = { retryable: boolean; says: string; advice?: string };

/** Every way in which a model call fails: its stable code, whether the same call may succeed later, and how it is told. */
const KINDS = {
  AUTHENTICATION: { retryable: false, says: "refused the credentials", advice: "check the key" },
  PERMISSION: { retryable: false, says: "does not allow this", advice: "check what the key may use" },
  QUOTA: { retryable: false, says: "is out of credit", advice: "raise the limit of the account" },
  NOT_FOUND: { retryable: false, says: "was not found", advice: "check the model's name and the base URL" },
  CONTEXT_TOO_LONG: { retryable: false, says: "was given more than it can take", advice: "shorten the thread" },
  BAD_REQUEST: { retryable: false, says: "did not take the request" },
  EFFORT_REFUSED: { retryable: true, says: "takes no such reasoning effort, and is asked for none from now on" },
  RATE_LIMITED: { retryable: true, says: "limits the rate of requests" },
  OVERLOADED: { retryable: true, says: "is overloaded" },
  TIMEOUT: { retryable: true, says: "did not answer in time" },
  /** No connection came about, so that nothing was asked and nothing billed. */
  UNREACHABLE: { retryable: true, says: "could not be reached" },
  CONNECTION: { retryable: true, says: "lost the connection" },
  SERVER_ERROR: { retryable: true, says: "failed on its side" },
  INTERRUPTED: { retryable: true, says: "was cut off before the end of its answer" },
  REQUEST_FAILED: { retryable: false, says: "could not be asked" },
  BAD_RESPONSE: { retryable: false, says: "gave an answer that cannot be read" },
} as const satisfies Record<string, Kind>;
export type FaultCode = keyof typeof KINDS;

const BY_STATUS: Record<number, FaultCode> = {
  401: "AUTHENTICATION",
  402: "QUOTA",
  403: "PERMISSION",
  404: "NOT_FOUND",
  408: "TIMEOUT",
  413: "CONTEXT_TOO_LONG",
  429: "RATE_LIMITED",
  503: "OVERLOADED",
  504: "TIMEOUT",
  529: "OVERLOADED",
};
/** The names that a provider gives an error where no status goes with it: in a stream, or in the body of a 200. */
const BY_NAME: [RegExp, FaultCode][] = [
  [/overloaded/, "OVERLOADED"],
  [/rate_limit/, "RATE_LIMITED"],
  [/timeout/, "TIMEOUT"],
  [/authentication|invalid_api_key/, "AUTHENTICATION"],
  [/permission/, "PERMISSION"],
  [/billing/, "QUOTA"],
  [/not_found/, "NOT_FOUND"],
  [/invalid|policy/, "BAD_REQUEST"],
];
const TOO_LONG =
  /context_length_exceeded|prompt is too long|context (length|window|size)|maximum context|too many (input )?tokens/i;
/** What Node and its fetch call a connection that did not come about. */
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** How providers say that a model takes no reasoning effort, or not this one; each in its own words, and none by a code alone. */
const NO_EFFORT =
  /(?:effort|reasoning|thinking|encrypted[ _]content)\b.*(?:not (?:support|permit|allow|enable)|unsupported|unknown|unrecognized|must be)|(?:not support|unsupported|unknown|unrecognized).*(?:effort|reasoning|thinking|encrypted[ _]content)/i;
/** Limits of spending come as a 429 like limits of rate, but no wait of ours lifts them. */
const OUT_OF_CREDIT = /insufficient_quota|spend_limit_reached|billing_hard_limit|credit balance/i;
/** What looks like a key, or is the user and password of an address. */
const KEY_LIKE = /(?<=:\/\/)[^\s/@]+(?=@)|\b(?:sk|gsk|pk|rk|xai)-[\w*.-]{6,}|\bAIza[\w-]{10,}|\bBearer\s+\S+/g;

/**
 * A failure that stands in an answer with status 200. Its fields are those of the SDKs' own API errors, so that it is
 * mapped as they are.
 */
export class ReportedFault extends Error {
  readonly status: number | undefined;
  readonly headers = undefined;
  readonly error: unknown;
  constructor(error: unknown) {
    super(textOf(error, "message") ?? JSON.stringify(error));
    const code = fieldOf(error, "code");
    this.status = typeof code === "number" && code >= 400 && code < 600 ? code : undefined;
    this.error = error ?? null;
  }
}

/** An answer that began and did not come to its end. Nothing of it is given on. */
export class Interrupted extends Error {
  readonly retryable: boolean;
  constructor(message: string, options: ErrorOptions & { retryable?: boolean } = {}) {
    super(message, options);
    this.retryable = options.retryable ?? true;
  }
}

/** What both SDKs throw for an answer that is an error, and without status and body where no answer came. */
type ApiError = Error & { status: number | undefined; headers: Headers | undefined; error: unknown };

/** Told by its fields and not by its class: the caller's client may come from another copy of the SDK. */
function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && "status" in error && "headers" in error && "error" in error;
}

/** Whether the provider itself said that it failed, as opposed to a connection that broke. */
export function isReported(error: unknown): boolean {
  return isApiError(error) && (error.status !== undefined || error.error !== undefined);
}

/**
 * Whatever a model call threw as a {@link ProviderError}, the same for every provider. `fallback` is the code of what is
 * no provider's error but ours. Of `secrets`, and of what looks like a key, nothing enters the message.
 */
export function providerFault(
  id: string,
  error: unknown,
  fallback: FaultCode,
  secrets: readonly string[] = [],
): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof Interrupted) {
    return faultOf(id, "INTERRUPTED", error.message, { secrets, retryable: error.retryable, cause: error.cause });
  }
  if (error instanceof TimedOut) return faultOf(id, "TIMEOUT", error.message, { secrets });
  if (!isApiError(error)) return faultOf(id, fallback, reasonOf(error), { secrets, cause: error });
  if (!isReported(error)) {
    const lost = NEVER_CONNECTED.has(codeOfInnermost(error)) ? "UNREACHABLE" : "CONNECTION";
    const code = /timed? ?out/i.test(error.message) ? "TIMEOUT" : lost;
    return faultOf(id, code, reasonOf(error), { secrets, cause: error.cause });
  }
  const { status, headers } = error;
  const code = codeOf(error);
  // A provider that knows better than its status whether another try can help says so in this header.
  const refusesRetry = headers?.get("x-should-retry") === "false";
  return faultOf(id, code, detailOf(error), {
    secrets,
    status: status ?? null,
    retryable: KINDS[code].retryable && !refusesRetry,
    retryAfterMs: headers ? retryAfterMs(headers) : null,
  });
}

/** What a model threw that was asked for a reasoning effort, where it refused the request for that; else null. */
export function effortFault(id: string, error: unknown, secrets: readonly string[]): ProviderError | null {
  if (!isApiError(error) || (error.status !== 400 && error.status !== 422)) return null;
  const detail = detailOf(error);
  return NO_EFFORT.test(detail) ? faultOf(id, "EFFORT_REFUSED", detail, { secrets, status: error.status }) : null;
}

/** The client has no credentials: `remedy` says which variable or option gives them. */
export function missingKey(id: string, remedy: string, cause: unknown): ProviderError {
  return new ProviderError("AUTHENTICATION", `${id} has no key: ${remedy}`, { retryable: false, cause });
}

type FaultOptions = {
  secrets: readonly string[];
  status?: number | null;
  retryable?: boolean;
  retryAfterMs?: number | null;
  cause?: unknown;
};

function faultOf(id: string, code: FaultCode, detail: string, { secrets, ...options }: FaultOptions): ProviderError {
  const { says, retryable, advice }: Kind = KINDS[code];
  const status = options.status ? ` (HTTP ${options.status})` : "";
  const told = headAndTail(withoutKeys(detail, secrets), 1000); // whole, since half a key is known by nothing
  const message = `${id} ${says}${status}: ${told}${advice ? `; ${advice}` : ""}`;
  return new ProviderError(code, message, { retryable, ...options });
}

function codeOf({ status, error, message }: ApiError): FaultCode {
  const names = namesOf(error).join(" ");
  const said = `${names} ${message}`;
  if (OUT_OF_CREDIT.test(said)) return "QUOTA";
  if ((status === undefined || status === 400 || status === 422) && TOO_LONG.test(said)) return "CONTEXT_TOO_LONG";
  if (status !== undefined) return BY_STATUS[status] ?? (status >= 500 ? "SERVER_ERROR" : "BAD_REQUEST");
  return BY_NAME.find(([name]) => name.test(names))?.[1] ?? "SERVER_ERROR";
}

/** Anthropic's body wraps its error in `error`; the OpenAI SDK has unwrapped it already. */
function innerOf(body: unknown): unknown {
  return fieldOf(body, "error") ?? body;
}

function namesOf(body: unknown): string[] {
  const inner = innerOf(body);
  const names = [textOf(inner, "type"), textOf(inner, "code"), textOf(fieldOf(inner, "details"), "error_code")];
  return names.filter((name) => name !== undefined);
}

function detailOf(error: ApiError): string {
  return textOf(innerOf(error.error), "message") ?? error.message;
}

/** "Connection error." says nothing; the innermost cause does, such as ECONNREFUSED, be it only by its code. */
function reasonOf(error: unknown): string {
  const innermost = innermostOf(error);
  if (innermost === error) return messageOf(error);
  const { message, code, name } = innermost as NodeJS.ErrnoException;
  return `${messageOf(error)} (${message || code || name})`;
}

function codeOfInnermost(error: unknown): unknown {
  return (innermostOf(error) as NodeJS.ErrnoException).code;
}

function innermostOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermostOf(error.cause) : error;
}

function withoutKeys(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= 8);
  return known.reduce((left, secret) => left.replaceAll(secret, "[key]"), text).replace(KEY_LIKE, "[key]");
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function textOf(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key);
  return typeof field === "string" ? field : undefined;
}
