/**
 * Which items of a list a page shows.
 * @param {{ total: number, size: number, page: number }} request
 * @returns {{ page: number, pages: number, first: number, last: number }}
 */
export function pageWindow(_request) {
  throw new Error("not implemented");
}
