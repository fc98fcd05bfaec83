import { testMockRun } from "./test-mock-run.ts";

testMockRun("codeswarm");
