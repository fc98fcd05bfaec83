/**
 * The first commit that is bad.
 * @param {readonly string[]} commits oldest first
 * @param {(commit: string) => Promise<boolean>} isBad
 * @returns {Promise<string | null>}
 */
export async function firstBad(_commits, _isBad) {
  throw new Error("not implemented");
}
