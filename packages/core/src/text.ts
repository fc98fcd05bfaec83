/** What stands between words; a key is one word. Half a surrogate pair is no place to cut at. */
const GAP = /[^\w./+=~\ud800-\udfff-]/;
/** A longer word may be cut: it is no key, and redaction knows no key from its half. */
const LONGEST_WORD = 200;

/**
 * `text` as it is up to `limit` characters; longer, its head and its tail with a line between them that says how much was
 * left out. Never splits a surrogate pair, nor a word of up to 200 characters.
 */
export function headAndTail(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const headEnd = endOfWords(text, half);
  const tailStart = startOfWords(text, text.length - half);
  return `${text.slice(0, headEnd)}\n[… ${tailStart - headEnd} characters left out …]\n${text.slice(tailStart)}`;
}

/** Where whole words end, at `cut` or shortly before. */
function endOfWords(text: string, cut: number): number {
  for (let at = cut; at >= 0 && at > cut - LONGEST_WORD; at--) if (GAP.test(text[at] ?? "")) return at;
  return isHighSurrogate(text, cut - 1) ? cut - 1 : cut;
}

/** Where whole words begin, at `cut` or shortly behind. */
function startOfWords(text: string, cut: number): number {
  for (let at = cut - 1; at < text.length && at < cut + LONGEST_WORD; at++) if (GAP.test(text[at] ?? "")) return at + 1;
  return isHighSurrogate(text, cut - 1) ? cut + 1 : cut;
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
