/** Collects all bytes of a pipe up to a limit. Past it nothing is kept, though the writer is never made to wait. */
export class Channel {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#limit) this.#chunks = [];
    else this.#chunks.push(chunk);
  }

  /** Null when more came than the limit: a part could be taken for the whole. */
  text(): string | null {
    return this.#length > this.#limit ? null : Buffer.concat(this.#chunks).toString();
  }
}
