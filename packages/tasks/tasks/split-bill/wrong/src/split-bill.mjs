/**
 * The parts of an amount that people pay.
 * @param {string} amount such as "19.99"
 * @param {number} people
 * @returns {string[]}
 */
export function splitBill(amount, people) {
  if (!/^\d+\.\d\d$/.test(amount)) throw new RangeError(`not an amount: ${amount}`);
  if (people < 1) throw new RangeError(`not a number of people: ${people}`);
  const cents = Math.floor(Number(amount) * 100);
  const share = Math.floor(cents / people);
  const left = cents % people;
  return Array.from({ length: people }, (_, index) => ((share + (index < left ? 1 : 0)) / 100).toFixed(2));
}
