export type Near = { id: number; distance: number };

/** The rows whose vector is within `most` of `vector`, by the cosine of their angle, the nearest first. */
export function nearest(
  rows: Iterable<{ id: number; vector: Uint8Array }>,
  vector: readonly number[],
  most: number,
): Near[] {
  const asked = unit(vector);
  const near: Near[] = [];
  for (const { id, vector } of rows) {
    const own = fromBytes(vector);
    if (own.length !== asked.length) continue; // of another embedding: no distance to it
    const distance = 1 - asked.reduce((sum, value, index) => sum + value * own[index]!, 0);
    if (distance <= most) near.push({ id, distance: Math.max(0, distance) });
  }
  return near.sort((a, b) => a.distance - b.distance || b.id - a.id);
}

/** A vector as it is stored: of length 1, in 32-bit floats. */
export function toBytes(vector: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(unit(vector)).buffer);
}

function fromBytes(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}

function unit(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}
