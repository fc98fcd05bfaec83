import type { LLMRequest } from "../contracts/model.ts";
import { canonicalJson, mapStrings, sha256 } from "../json-value.ts";
import { mask } from "../log/masks.ts";

/** What a redacted model request is known by in a log: equal for requests that differ in nothing but what masks hide. */
export function requestHash(request: LLMRequest): string {
  return sha256(canonicalJson(mapStrings(request, mask)));
}
