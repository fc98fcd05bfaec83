exports.parse = (text) => {
  const pairs = {};
  for (const part of text.replace("?", "").split("&")) {
    const [name, value = ""] = part.split("=").map(decodeURIComponent);
    if (name === "") continue;
    if (pairs[name] === undefined) pairs[name] = value;
    else pairs[name] = [].concat(pairs[name], value);
  }
  return pairs;
};

exports.stringify = (pairs) =>
  Object.entries(pairs)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
