export { type MemoryBacking, type MemoryConformanceCase, memoryConformance } from "./memory-conformance.ts";
