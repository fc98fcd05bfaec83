import type { Applied, Placed } from "./apply-hunks.ts";
import { type FilePatch, newSide, oldSide } from "./patch.ts";

/** What was done to a file, and all that was not quite as the patch said. */
export function reportOn(file: FilePatch, { placed }: Applied): string[] {
  const where = placed.filter(({ hunk }) => oldSide(hunk).length > 0).map(linesOf);
  const at = where.length === 0 ? "" : ` (at ${where.join(", ")} as they were)`;
  return [`${verbOf(file)}${at}`, ...placed.flatMap(notesOn)];
}

function verbOf({ from, to, keep }: FilePatch): string {
  if (from === null) return `created ${to}`;
  if (to === null) return `deleted ${from}`;
  if (from === to) return `changed ${from}`;
  return `${keep ? "copied" : "renamed"} ${from} to ${to}`;
}

function linesOf({ hunk, start }: Placed): string {
  const last = start + oldSide(hunk).length;
  return last === start + 1 ? `line ${last}` : `lines ${start + 1}-${last}`;
}

function notesOn(place: Placed): string[] {
  const { hunk, start, exact } = place;
  const notes: string[] = [];
  const compared = oldSide(hunk).length > 0;
  if (compared && hunk.start !== null && hunk.start !== start + 1) {
    notes.push(`found at ${linesOf(place)}, though its header says ${hunk.start}`);
  }
  if (compared && !exact) notes.push(`matched at ${linesOf(place)} but for the line ends; those of the file were kept`);
  if (hunk.miscounted) {
    notes.push(
      `its header counts other lines than its ${oldSide(hunk).length} old and ${newSide(hunk).length} new ones`,
    );
  }
  return notes.map((note) => `  note: hunk at line ${hunk.at} of the patch: ${note}`);
}
