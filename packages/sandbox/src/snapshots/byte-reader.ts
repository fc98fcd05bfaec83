import { SandboxError } from "@swarm/core";

/** Takes lines and counted bytes from a stream, whatever chunks they come in. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next line without its end, or null at the end of the stream. */
  async line(): Promise<string | null> {
    for (;;) {
      const end = this.#held.indexOf("\n");
      if (end >= 0) return (await this.take(end + 1)).toString("utf8", 0, end);
      const { value, done } = await this.#chunks.next();
      if (done) return null;
      this.#held = Buffer.concat([this.#held, value]);
    }
  }

  async take(count: number): Promise<Buffer> {
    const parts = [this.#held];
    let length = this.#held.length;
    while (length < count) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new SandboxError(`the stream ended ${count - length} bytes too early`);
      parts.push(value);
      length += value.length;
    }
    const all = Buffer.concat(parts);
    this.#held = all.subarray(count);
    return all.subarray(0, count);
  }
}
