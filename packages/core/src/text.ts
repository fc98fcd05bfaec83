/**
 * `text` as it is up to `limit` characters; longer, its head and its tail with a line between them that says how much was
 * left out. Never splits a surrogate pair.
 */
export function headAndTail(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const headEnd = isHighSurrogate(text, half - 1) ? half - 1 : half;
  const cut = text.length - half;
  const tailStart = isHighSurrogate(text, cut - 1) ? cut + 1 : cut;
  return `${text.slice(0, headEnd)}\n[… ${tailStart - headEnd} characters left out …]\n${text.slice(tailStart)}`;
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
