// Threads that a test's code starts run the TypeScript sources as well; `process` is each test file's own copy.
process.execArgv = [...process.execArgv, `--import=${new URL('./typescript.mjs', import.meta.url).href}`];
