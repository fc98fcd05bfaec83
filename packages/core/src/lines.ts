/** A line without its line feed, and the offset in bytes of what comes after it; `whole` is false where no line feed ends it. */
export type Line = { text: string; end: number; whole: boolean };

const LINE_FEED = 0x0a;

/**
 * The lines of bytes as they come, cut anywhere. Only a line feed ends a line: `node:readline` also takes a carriage return
 * and U+2028 for an end, which a JSON string may hold as they are.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void> {
  let parts: Uint8Array[] = [];
  let end = 0;
  const taken = (feed: 0 | 1): Line => {
    const bytes = Buffer.concat(parts);
    parts = [];
    end += bytes.length + feed;
    return { text: bytes.toString(), end, whole: feed === 1 };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed !== -1; feed = chunk.indexOf(LINE_FEED, start)) {
      parts.push(chunk.subarray(start, feed));
      start = feed + 1;
      yield taken(1);
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield taken(0);
}
