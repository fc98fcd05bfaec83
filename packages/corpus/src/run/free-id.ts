/** `id`, or with a number behind it where it is taken; it is taken from then on. */
export function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id}_${count}`;
  taken.add(free);
  return free;
}
