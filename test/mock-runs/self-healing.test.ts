import { testMockRun } from "./test-mock-run.ts";

testMockRun("self-healing");
