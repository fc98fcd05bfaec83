/**
 * Which items of a list a page shows.
 * @param {{ total: number, size: number, page: number }} request
 * @returns {{ page: number, pages: number, first: number, last: number }}
 */
export function pageWindow({ total, size, page }) {
  if (size < 1) throw new RangeError("a page has at least one item");
  const pages = Math.floor(total / size) + 1;
  const shown = Math.min(Math.max(page, 1), pages);
  const first = total === 0 ? 0 : (shown - 1) * size + 1;
  return { page: shown, pages, first, last: Math.min(shown * size, total) };
}
