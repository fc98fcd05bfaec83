/**
 * Which items of a list a page shows.
 * @param {{ total: number, size: number, page: number }} request
 * @returns {{ page: number, pages: number, first: number, last: number }}
 */
export function pageWindow({ total, size, page }) {
  if (!Number.isInteger(total) || total < 0) throw new RangeError(`total is a whole number from 0: ${total}`);
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`size is a whole number from 1: ${size}`);
  if (!Number.isInteger(page)) throw new RangeError(`page is a whole number: ${page}`);
  const pages = Math.max(Math.ceil(total / size), 1);
  const shown = Math.min(Math.max(page, 1), pages);
  const first = total === 0 ? 0 : (shown - 1) * size + 1;
  return { page: shown, pages, first, last: Math.min(shown * size, total) };
}
