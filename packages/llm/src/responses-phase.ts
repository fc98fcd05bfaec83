import type { Json } from "@swarm/core";
import type { OpenAI } from "openai";

/**
 * The API labels an assistant's message as commentary or final answer and wants the label back. A text part has no place
 * for it, so that it travels as an opaque part in front of its text.
 */
export type Phase = {
  type: "phase";
  phase: NonNullable<OpenAI.Responses.ResponseOutputMessage["phase"]>;
};

export function isPhase(data: Json): data is Phase {
  return typeof data === "object" && data !== null && !Array.isArray(data) && data["type"] === "phase";
}
