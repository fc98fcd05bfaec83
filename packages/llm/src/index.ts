export type { ModelOptions } from "./model-options.ts";
