/** The sum of each city, or what is wrong, as `line: what`. */
export function totals(text) {
  const lines = text.split(/\r?\n/);
  if (lines[0] !== "city,amount") return { problem: "1: not the header city,amount" };
  const sums = new Map();
  for (let index = 1; index < lines.length; index++) {
    if (lines[index] === "") continue;
    const sale = /^(?<city>[^,]+),(?<amount>-?\d+(\.\d{1,2})?)$/.exec(lines[index]);
    if (!sale) return { problem: `${index + 1}: not a sale: ${lines[index]}` };
    const { city, amount } = sale.groups;
    sums.set(city, (sums.get(city) ?? 0n) + cents(amount));
  }
  const cities = [...sums.keys()].sort();
  return { result: Object.fromEntries(cities.map((city) => [city, money(sums.get(city))])) };
}

function cents(amount) {
  const [whole, decimals = ""] = amount.split(".");
  return BigInt(`${whole}${`${decimals}00`.slice(0, 2)}`);
}

function money(sum) {
  const sign = sum < 0n ? "-" : "";
  const absolute = sum < 0n ? -sum : sum;
  return `${sign}${absolute / 100n}.${String(absolute % 100n).padStart(2, "0")}`;
}
