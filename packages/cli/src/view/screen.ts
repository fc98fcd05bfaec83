import { styleText } from "node:util";
import type { Output } from "../io.ts";
import { type Line, oneLine } from "./line.ts";
import { seconds } from "./words.ts";

const TICK_MS = 1000;
/** Silence longer than this is explained. */
const SILENT_MS = 2000;
/** At most this long between two explanations where each is a line of its own. */
const MOST_SILENT_MS = 60_000;
const CLEAR_LINE = "\r\u001b[K";

/** Lines on a stream, in colour where it is a terminal and `NO_COLOR` is not set. */
export function printLines(stream: Output, lines: readonly Line[]): void {
  for (const { text, tone } of lines) {
    stream.write(`${tone && stream.isTTY ? styleText(tone, text, { stream }) : text}\n`);
  }
}

/**
 * Shows lines, and in a silence that work goes on: on a terminal in a last line that is written over, elsewhere in lines
 * ever further apart. With `live` that line is there all the time, and without the length of the silence. Colour and cursor
 * codes only on a terminal.
 */
export class Screen {
  readonly #stream: Output;
  readonly #working: () => string;
  readonly #live: boolean;
  #timer: NodeJS.Timeout | undefined;
  #printedAt = performance.now();
  #explainAfter = SILENT_MS;
  #explained = false;

  constructor(stream: Output, working: () => string, { live = false }: { live?: boolean } = {}) {
    this.#stream = stream;
    this.#working = working;
    this.#live = live;
  }

  start(): void {
    this.#printedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  print(lines: readonly Line[]): void {
    if (lines.length === 0) return;
    this.#clear();
    printLines(this.#stream, lines);
    this.#printedAt = performance.now();
    this.#explainAfter = SILENT_MS;
    if (this.#live && this.#stream.isTTY) this.#tick();
  }

  #tick(): void {
    const silent = performance.now() - this.#printedAt;
    if (silent < this.#explainAfter && !(this.#live && this.#stream.isTTY)) return;
    const text = this.#live ? `… ${this.#working()}` : `… ${this.#working()} (${seconds(silent)})`;
    if (this.#stream.isTTY) {
      this.#stream.write(`${CLEAR_LINE}${oneLine(text, (this.#stream.columns ?? 80) - 1)}`);
      this.#explained = true;
    } else {
      this.#stream.write(`${text}\n`);
      this.#explainAfter += Math.min(this.#explainAfter, MOST_SILENT_MS);
    }
  }

  #clear(): void {
    if (this.#explained) this.#stream.write(CLEAR_LINE);
    this.#explained = false;
  }
}
