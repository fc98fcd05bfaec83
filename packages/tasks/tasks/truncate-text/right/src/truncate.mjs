const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * A text of at most `limit` characters as a reader counts them: an emoji, a flag or a letter with its accents is one.
 * @param {string} text
 * @param {number} limit
 * @returns {string}
 */
export function truncate(text, limit) {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`a limit is a whole number from 1: ${limit}`);
  let seen = 0;
  let cut = 0;
  for (const { index } of characters.segment(text)) {
    if (seen === limit - 1) cut = index;
    if (++seen > limit) return `${text.slice(0, cut)}…`;
  }
  return text;
}
