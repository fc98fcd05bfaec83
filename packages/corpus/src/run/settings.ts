import {
  type Blobs,
  type Effort,
  EffortSchema,
  type JsonObject,
  JsonObjectSchema,
  type Redact,
  redactJson,
  type Schema,
  type ToolSpec,
} from "@swarm/core";
import { z } from "zod";

/** What a role was set up with, as the log's blob holds it. */
export type Settings = { system: string; tools: ToolSpec[]; effort?: Effort; maxTokens: number };

const SettingsSchema: Schema<Settings> = z.object({
  system: z.string(),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string(), input: JsonObjectSchema })),
  effort: EffortSchema.exactOptional(),
  maxTokens: z.number(),
});

/** Reads the settings of model calls. Few differ in a run, so each is read once. */
export function settingsReader(blobs: Blobs, redact: Redact): (id: string) => Promise<Settings> {
  const known = new Map<string, Promise<Settings>>();
  const read = async (id: string) => {
    const json = JSON.parse(Buffer.from(await blobs.get(id)).toString()) as JsonObject;
    return SettingsSchema.parse(redactJson(json, redact));
  };
  return (id) => {
    const found = known.get(id) ?? read(id);
    known.set(id, found);
    return found;
  };
}
