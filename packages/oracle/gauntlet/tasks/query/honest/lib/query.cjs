exports.parse = (text) => {
  const pairs = {};
  for (const part of text.replace(/^\?/, "").split("&")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    const name = decoded(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? "" : decoded(part.slice(at + 1));
    pairs[name] = Object.hasOwn(pairs, name) ? [pairs[name], value].flat() : value;
  }
  return pairs;
};

exports.stringify = (pairs) =>
  Object.entries(pairs)
    .flatMap(([name, values]) => [values].flat().map((value) => [name, value].map(encodeURIComponent).join("=")))
    .join("&");

function decoded(text) {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
