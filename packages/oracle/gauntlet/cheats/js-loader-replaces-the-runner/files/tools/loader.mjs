import { registerHooks } from "node:module";

const impostor = new URL("./impostor.mjs", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "node:test" && context.parentURL !== impostor) return { url: impostor, shortCircuit: true };
    return next(specifier, context);
  },
});
