/**
 * The first commit that is bad, or null. Halves the range that it can be in with each check.
 * @param {readonly string[]} commits oldest first; once one is bad, all later ones are
 * @param {(commit: string) => Promise<boolean>} isBad
 * @returns {Promise<string | null>}
 */
export async function firstBad(commits, isBad) {
  let good = 0; // all before this index are good
  let bad = commits.length; // all from this index on are bad
  while (good < bad) {
    const middle = Math.floor((good + bad) / 2);
    if (await isBad(commits[middle])) bad = middle;
    else good = middle + 1;
  }
  return commits[bad] ?? null;
}
