import type { LLMRequest } from "../contracts/model.ts";
import { canonicalJson, mapStrings, sha256 } from "../json-value.ts";
import { mask } from "../log/masks.ts";
import { type Redact, redactJson } from "../redact.ts";

/** What a model request is known by in a log: equal for requests that differ in nothing but what masks and redaction hide. */
export function requestHash(request: LLMRequest, redact: Redact): string {
  return sha256(canonicalJson(mapStrings(redactJson(request, redact), mask)));
}
