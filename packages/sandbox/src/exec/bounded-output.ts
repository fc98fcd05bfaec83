/**
 * Keeps the head and the tail of a stream of bytes in constant memory, however much comes and in whatever pieces. The
 * limit is in bytes, so that it bounds the characters too.
 */
export class BoundedOutput {
  readonly #head: Buffer;
  /** A ring: the byte after the newest is the oldest. */
  readonly #tail: Buffer;
  #headLength = 0;
  #tailTotal = 0;

  constructor(limit: number) {
    this.#head = Buffer.allocUnsafe(Math.ceil(limit / 2));
    this.#tail = Buffer.allocUnsafe(Math.floor(limit / 2));
  }

  push(chunk: Uint8Array): void {
    const taken = Math.min(chunk.length, this.#head.length - this.#headLength);
    this.#head.set(chunk.subarray(0, taken), this.#headLength);
    this.#headLength += taken;

    const rest = chunk.subarray(taken);
    const kept = rest.subarray(Math.max(0, rest.length - this.#tail.length));
    const at = (this.#tailTotal + rest.length - kept.length) % this.#tail.length;
    const first = kept.subarray(0, this.#tail.length - at);
    this.#tail.set(first, at);
    this.#tail.set(kept.subarray(first.length), 0);
    this.#tailTotal += rest.length;
  }

  /** All that came, or head and tail with the number of bytes between them. Splits no character, nor a word that may be a key. */
  text(): string {
    const head = this.#head.subarray(0, this.#headLength);
    const at = this.#tailTotal % this.#tail.length;
    if (this.#tailTotal <= this.#tail.length) {
      return Buffer.concat([head, this.#tail.subarray(0, this.#tailTotal)]).toString();
    }
    const tail = Buffer.concat([this.#tail.subarray(at), this.#tail.subarray(0, at)]);
    const headEnd = endOfWords(head);
    const tailStart = startOfWords(tail);
    const leftOut = head.length - headEnd + (this.#tailTotal - tail.length) + tailStart;
    return `${head.toString("utf8", 0, headEnd)}\n[… ${leftOut} bytes left out …]\n${tail.toString("utf8", tailStart)}`;
  }
}

/** A longer word may be cut: it is no key, and redaction knows no key from its half. */
const LONGEST_WORD = 200;
const isPartOfWord = (byte: number) => byte >= 0x80 || /[\w./+=~-]/.test(String.fromCharCode(byte));

/** Where whole words end, at the end or shortly before. */
function endOfWords(bytes: Uint8Array): number {
  const gap = bytes.subarray(-LONGEST_WORD).findLastIndex((byte) => !isPartOfWord(byte));
  return gap === -1 ? bytes.length - brokenEnd(bytes) : Math.max(0, bytes.length - LONGEST_WORD) + gap + 1;
}

/** Where whole words begin, at the start or shortly behind. */
function startOfWords(bytes: Uint8Array): number {
  const gap = bytes.subarray(0, LONGEST_WORD).findIndex((byte) => !isPartOfWord(byte));
  return gap === -1 ? brokenStart(bytes) : gap + 1;
}

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80;

/** How many bytes at the end begin a UTF-8 character that is not complete. */
function brokenEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** How many bytes at the start belong to a UTF-8 character that began before. */
function brokenStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && isContinuation(bytes[count]!)) count += 1;
  return count;
}
