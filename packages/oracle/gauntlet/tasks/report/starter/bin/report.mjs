console.error("not implemented");
process.exitCode = 1;
