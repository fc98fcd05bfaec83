/** A filter for a stream of bytes that leaves out every `needle`, also one that is split over chunks. */
export type Eraser = {
  push(chunk: Buffer): Buffer;
  /** What was held back because it could have been the beginning of another `needle`. */
  end(): Buffer;
};

export function eraseBytes(needle: Buffer): Eraser {
  let held: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      const data = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      const parts: Buffer[] = [];
      let from = 0;
      for (let hit = data.indexOf(needle); hit >= 0; hit = data.indexOf(needle, from)) {
        parts.push(data.subarray(from, hit));
        from = hit + needle.length;
      }
      const end = data.length - begunAtEnd(data.subarray(from), needle);
      held = Buffer.from(data.subarray(end));
      parts.push(data.subarray(from, end));
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    },
    end: () => held,
  };
}

/** How many bytes at the end of `data` are the beginning of `needle`. */
function begunAtEnd(data: Buffer, needle: Buffer): number {
  for (let length = Math.min(data.length, needle.length - 1); length > 0; length -= 1) {
    const start = data.length - length;
    if (data[start] === needle[0] && data.subarray(start).equals(needle.subarray(0, length))) return length;
  }
  return 0;
}
