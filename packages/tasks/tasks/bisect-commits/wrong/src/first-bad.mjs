/**
 * The first commit that is bad.
 * @param {readonly string[]} commits oldest first
 * @param {(commit: string) => Promise<boolean>} isBad
 * @returns {Promise<string | null>}
 */
export async function firstBad(commits, isBad) {
  for (const commit of commits) {
    if (await isBad(commit)) return commit;
  }
  return null;
}
