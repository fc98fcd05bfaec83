/**
 * The parts of an amount that people pay. Counts in whole cents throughout, so that no cent is lost or made.
 * @param {string} amount such as "19.99"
 * @param {number} people
 * @returns {string[]}
 */
export function splitBill(amount, people) {
  if (!/^[0-9]+\.[0-9]{2}$/.test(amount)) throw new RangeError(`not an amount: ${JSON.stringify(amount)}`);
  if (!Number.isInteger(people) || people < 1) throw new RangeError(`not a number of people: ${people}`);
  const cents = BigInt(amount.replace(".", ""));
  const share = cents / BigInt(people);
  const left = Number(cents % BigInt(people));
  return Array.from({ length: people }, (_, index) => written(index < left ? share + 1n : share));
}

function written(cents) {
  const digits = String(cents).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
