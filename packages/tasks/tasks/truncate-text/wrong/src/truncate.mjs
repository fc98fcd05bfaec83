/**
 * A text of at most `limit` characters as a reader counts them.
 * @param {string} text
 * @param {number} limit
 * @returns {string}
 */
export function truncate(text, limit) {
  if (limit < 1) throw new RangeError(`a limit is at least 1: ${limit}`);
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
