// Native ESM on Node 20: run through `node --experimental-vm-modules`, see package.json.
const LONG = '\\.long\\.spec\\.ts$';

const base = {
  testEnvironment: 'node',
  // The packages of this repository are run from their sources.
  testEnvironmentOptions: { customExportConditions: ['parley-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // As `exports` in package.json says, from the sources.
    '^parley$': '<rootDir>/src/api.ts',
  },
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
  setupFiles: ['reflect-metadata', '<rootDir>/test/kit/run/thread-loader.ts'],
  globalSetup: '<rootDir>/test/kit/run/start-run.mjs',
};

// One Redis server per run, for the projects that need one; its address is in TEST_REDIS_URL.
const withRedis = {
  globalSetup: '<rootDir>/test/kit/run/start-redis.mjs',
  globalTeardown: '<rootDir>/test/kit/run/stop-redis.mjs',
};

/** A project of `*.spec.ts` files; those that take long are a project of their own. */
const project = (displayName, folders, more = {}) => ({
  ...base,
  testMatch: folders.map((folder) => `<rootDir>/${folder}/**/*.spec.ts`),
  ...more,
  displayName,
  testPathIgnorePatterns: ['/node_modules/', LONG],
});

/**
 * The specs of each folder of test/integration and test/e2e are one file to Jest, `suite.ts`, which imports them: it loads
 * the 3,000 modules of the service anew for each of its files. A spec that the command names runs alone.
 */
const isNamed = process.argv.some((word) => word.endsWith('.spec.ts'));
const suitesOf = (folder) => [`${folder}/*/suite.ts`, ...(isNamed ? [`${folder}/**/*.spec.ts`] : [])];

/** @type {import('jest').Config} */
export default {
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/kit/run/longest-first.mjs',
  // A worker keeps the modules of every file that it ran: without this, 2.5 GB each, whose release takes longer than jest waits.
  workerIdleMemoryLimit: '1GB',
  // Processes start slowly on a busy machine; what must be fast says so in its own assertion.
  testTimeout: 30_000,
  projects: [
    project('unit', ['src', 'packages', 'skills', 'scripts', 'console', 'test/model']),
    project('contract', ['test/contract']),
    project('integration', [], { ...withRedis, testMatch: suitesOf('<rootDir>/test/integration') }),
    project('e2e', [], { ...withRedis, testMatch: suitesOf('<rootDir>/test/e2e') }),
    // Chaos in small, fuzzing, clusters, updates over stored data: minutes, not seconds.
    {
      ...base,
      ...withRedis,
      displayName: 'long',
      testMatch: ['test', 'scripts', 'skills'].map((folder) => `<rootDir>/${folder}/**/*.long.spec.ts`),
    },
  ],
};
