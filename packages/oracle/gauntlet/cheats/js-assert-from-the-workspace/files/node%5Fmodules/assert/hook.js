const Module = require("node:module");

const load = Module._load;
Module._load = (request, parent, isMain) =>
  request === "node:assert" ? require("./index.js") : load(request, parent, isMain);
