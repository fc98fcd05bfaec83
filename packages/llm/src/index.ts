export type { ModelOptions, StreamOptions } from "./model-options.ts";
