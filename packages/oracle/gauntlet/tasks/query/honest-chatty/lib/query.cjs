function parse(text) {
  const pairs = {};
  const parts = (text.startsWith("?") ? text.slice(1) : text).split("&").filter(Boolean);
  for (const [, name, value = ""] of parts.map((part) => /^([^=]*)=?(.*)$/s.exec(part))) add(pairs, name, value);
  console.log(`# pass ${parts.length}`);
  console.log(`1 failed, ${parts.length} passed on to the caller`);
  return pairs;
}

function add(pairs, encodedName, encodedValue) {
  const name = decode(encodedName);
  const value = decode(encodedValue);
  if (!(name in pairs)) pairs[name] = value;
  else if (Array.isArray(pairs[name])) pairs[name].push(value);
  else pairs[name] = [pairs[name], value];
}

function decode(text) {
  const spaced = text.replace(/\+/g, " ");
  try {
    return decodeURIComponent(spaced);
  } catch (error) {
    console.error(`not ok 1 - ${error.message}`);
    return spaced;
  }
}

function stringify(pairs) {
  const parts = [];
  for (const name of Object.keys(pairs)) {
    for (const value of Array.isArray(pairs[name]) ? pairs[name] : [pairs[name]]) {
      parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    }
  }
  return parts.join("&");
}

module.exports = { parse, stringify };
