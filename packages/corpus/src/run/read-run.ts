import { createReadStream } from "node:fs";
import {
  type JsonObject,
  type LogHeader,
  type Redact,
  type RunEvent,
  redactJson,
  type Snapshots,
  streamLog,
  type Trajectory,
  trajectoryOf,
} from "@swarm/core";

/**
 * The run that a log tells of, without secrets: they are taken out here once more, before a value becomes part of a longer
 * text in which its shape is not known. Rejects with a {@link LogError} that names the place that is damaged.
 */
export async function readRun(path: string, snapshots: Snapshots, redact: Redact): Promise<Trajectory> {
  const without = <T>(value: T) => redactJson(value as JsonObject, redact) as T;
  const { header, events } = await streamLog(createReadStream(path));
  return trajectoryOf({
    header: without<LogHeader>(header),
    events: await Array.fromAsync(events, without<RunEvent>),
    snapshots,
    location: path,
  });
}
