const AT_ONCE = 16;

/** Does `action` for all items, a few at a time. */
export async function inBatches<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(action));
}
