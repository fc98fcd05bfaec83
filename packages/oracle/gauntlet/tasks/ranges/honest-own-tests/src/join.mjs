export function joined(pairs) {
  const sorted = pairs.map(([first, last]) => {
    if (last < first) throw new RangeError(`[${first}, ${last}] ends before it begins`);
    return [first, last];
  });
  sorted.sort((one, other) => one[0] - other[0]);
  return sorted.reduce((ranges, [first, last]) => {
    const open = ranges.length > 0 && first <= ranges[ranges.length - 1][1] + 1;
    if (!open) return [...ranges, [first, last]];
    const [begin, end] = ranges.pop();
    return [...ranges, [begin, Math.max(end, last)]];
  }, []);
}
