// Native ESM on Node 20: run through `node --experimental-vm-modules`, see package.json.
const base = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  setupFiles: ['reflect-metadata'],
  setupFilesAfterEnv: ['<rootDir>/test/kit/retry.ts'],
};

// One Redis server per run, for the projects that need one; its address is in TEST_REDIS_URL.
const withRedis = {
  ...base,
  globalSetup: '<rootDir>/test/kit/start-redis.mjs',
  globalTeardown: '<rootDir>/test/kit/stop-redis.mjs',
};

/** @type {import('jest').Config} */
export default {
  maxWorkers: 2,
  // Processes start slowly on a busy machine; what must be fast says so in its own assertion.
  testTimeout: 30_000,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['src', 'scripts', 'test/model'].map((folder) => `<rootDir>/${folder}/**/*.spec.ts`),
    },
    { ...base, displayName: 'contract', testMatch: ['<rootDir>/test/contract/**/*.spec.ts'] },
    { ...withRedis, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.spec.ts'] },
    { ...withRedis, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'] },
  ],
};
