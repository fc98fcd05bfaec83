/**
 * The parts of an amount that people pay.
 * @param {string} amount such as "19.99"
 * @param {number} people
 * @returns {string[]}
 */
export function splitBill(_amount, _people) {
  throw new Error("not implemented");
}
