import { drive as driveOnly } from "../../packages/core/src/engine/drive.ts";
import { note } from "../notes.ts";
import { hurried } from "./hurried.ts";

const notes = new URL(import.meta.url).searchParams.get("notes") ?? "";

/** In the place of the engine's own: see child.ts. */
export const drive: typeof driveOnly = async (launch, ...rest) => {
  const trajectory = await driveOnly(launch, ...rest);
  if (launch.replay !== undefined) return trajectory;
  const { assertReplays, assertSoundRun } = await import("@swarm/core/testing"); // which imports what imports this
  const { team, sandbox, tests, oracle, secrets } = launch.ports;
  assertSoundRun(trajectory, secrets);
  await assertReplays(trajectory, { team, sandbox, tests, oracle, secrets, clock: hurried });
  note(notes, ["replayed"]);
  return trajectory;
};
