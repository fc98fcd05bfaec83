/** What branches side by side lie below: `all`, `race-implement`, `all.2`, … */
const SIDE_BY_SIDE = /^(?:all|race-.+?)(?:\.\d+)?$/;

/**
 * Whether two steps are in branches side by side, and the first one in that whose name comes first. Which of two branches was
 * quicker is a matter of timing, so that the order of their events says nothing; this order is the same in equal runs.
 */
export function isInEarlierBranch(stepId: string, other: string): boolean {
  const [a, b] = [stepId.split("/"), other.split("/")];
  const at = a.findIndex((segment, index) => segment !== b[index]);
  const [own, others] = [a[at], b[at]];
  return own !== undefined && others !== undefined && SIDE_BY_SIDE.test(a[at - 1] ?? "") && own < others;
}
