/**
 * The architecture of src/ as rules: who may import whom. Arrows point down:
 * bindings (rpc, rest, grpc) -> operation -> task, sse, push; outbox -> worker, push; worker -> skill, task; sse -> task.
 * A folder that is not named here (logging, say) is free until it gets its row.
 */

/** Everyone may import these: they know nothing of the rest. */
const COMMON = ['protocol', 'config', 'metrics', 'tracing'];

/** What each folder may import of ours, next to itself and COMMON. */
const MAY_IMPORT = {
  config: [],
  redis: [],
  auth: ['redis', 'limit', 'audit', 'egress'],
  limit: ['redis'],
  audit: [],
  secret: [],
  task: ['redis'],
  skill: [],
  'skill-schema': ['skill'],
  sse: ['task', 'redis', 'wire'],
  egress: [],
  push: ['task', 'redis', 'wire', 'egress'],
  queue: ['task', 'redis'],
  worker: ['skill', 'task', 'queue', 'redis'],
  outbox: ['queue', 'push', 'task', 'redis'],
  'agent-card': ['http', 'skill', 'wire', 'auth', 'push'],
  operation: ['task', 'sse', 'push', 'skill', 'queue', 'auth', 'audit', 'limit', 'agent-card', 'redis', 'wire'],
  http: ['operation', 'wire', 'auth', 'limit', 'redis'],
  rpc: ['http', 'operation', 'wire', 'auth', 'sse', 'agent-card'],
  rest: ['http', 'operation', 'wire', 'auth', 'sse', 'agent-card'],
  grpc: ['http', 'operation', 'wire', 'auth', 'sse', 'agent-card'],
  operator: ['http', 'operation', 'auth', 'push'],
  health: ['redis', 'task', 'queue', 'worker', 'outbox', 'push'],
  cli: ['redis', 'task', 'queue', 'push', 'egress', 'secret', 'auth', 'skill', 'agent-card', 'http'],
  tracing: [],
  metrics: ['redis', 'task', 'queue', 'worker', 'outbox', 'push', 'sse'],
};

const FOLDERS = ['protocol', 'wire', ...Object.keys(MAY_IMPORT)];
const SPEC = '\\.spec\\.ts$';

const inFolders = (folders) => `^src/(${folders.join('|')})/`;

/** One rule per folder: all known folders are forbidden but its own, its row's and COMMON. */
const arrowsPointDown = Object.entries(MAY_IMPORT).map(([folder, allowed]) => {
  const forbidden = FOLDERS.filter((other) => ![folder, ...allowed, ...COMMON].includes(other));
  return {
    name: `${folder}-points-down`,
    comment: `${folder}/ may import only ${[...allowed, ...COMMON].filter((it) => it !== folder).join(', ')}.`,
    severity: 'error',
    from: { path: inFolders([folder]), pathNot: SPEC },
    to: { path: inFolders(forbidden) },
  };
});

/** A package that only some folders may import; the files at the top of src/ wire the application and may too. */
const onlyIn = (packageName, folders, comment) => ({
  name: `${packageName.split('|')[0]}-in-its-place`,
  comment,
  severity: 'error',
  from: { path: '^src/[^/]+/', pathNot: [inFolders(folders), SPEC] },
  to: { path: `node_modules/(${packageName})/` },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle between two injectables kills an ESM Nest application at import; forwardRef does not help.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody imports is dead, or a skill that is not listed; an .mjs is a program of its own.',
      severity: 'error',
      from: { orphan: true, pathNot: [SPEC, '^src/(main|cli/parley)\\.ts$', '\\.mjs$'] },
      to: {},
    },
    {
      name: 'protocol-is-pure',
      comment: 'The v1 model imports nothing: no package, no Node module, nothing of ours.',
      severity: 'error',
      from: { path: '^src/protocol/', pathNot: SPEC },
      to: { pathNot: '^src/protocol/' },
    },
    {
      name: 'wire-is-pure',
      comment: 'A codec turns JSON into JSON: of ours it knows the model only, and no package or module that does I/O.',
      severity: 'error',
      from: { path: '^src/wire/', pathNot: SPEC },
      to: { pathNot: ['^src/(wire|protocol)/', '^(node:)?(buffer|crypto)$', 'node_modules/secure-json-parse/'] },
    },
    {
      name: 'one-version-one-folder',
      comment:
        'Deleting a version of A2A is deleting its folder and one line of codecs.ts; 0.1 is 0.3 with differences.',
      severity: 'error',
      from: { path: '^src/wire/(v[^/]+)/', pathNot: SPEC },
      to: { path: '^src/wire/v[^/]+/', pathNot: ['^src/wire/$1/', '^src/wire/v0_3/'] },
    },
    {
      name: 'skill-knows-only-the-door',
      comment:
        'A skill in the catalog has never heard of Redis, queues or HTTP: it sees the door, the model and packages.',
      severity: 'error',
      from: { path: '^src/skill/catalog/([^/]+)/', pathNot: SPEC },
      to: { path: '^src/', pathNot: ['^src/skill/(skill|events)\\.ts$', '^src/protocol/', '^src/skill/catalog/$1/'] },
    },
    {
      name: 'catalog-knows-only-the-door',
      comment: 'The same for a skill that is one file, and for the list of skills.',
      severity: 'error',
      from: { path: '^src/skill/catalog/[^/]+$', pathNot: SPEC },
      to: { path: '^src/', pathNot: ['^src/skill/(skill|events)\\.ts$', '^src/protocol/', '^src/skill/catalog/'] },
    },
    {
      name: 'skill-imports-no-infrastructure',
      comment: 'The packages of the service are not for skills.',
      severity: 'error',
      from: { path: '^src/skill/catalog/', pathNot: SPEC },
      to: { path: 'node_modules/(ioredis|bullmq|fastify|@nestjs/(bullmq|core|platform-fastify))/' },
    },
    {
      name: 'only-the-edge-answers',
      comment: 'Operations and below never see a request: nothing but the application imports a binding.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: ['^src/(rpc|rest|grpc)/', SPEC] },
      to: { path: '^src/(rpc|rest|grpc)/' },
    },
    {
      name: 'tests-stay-outside',
      comment: 'What runs in production never imports a test or its support.',
      severity: 'error',
      from: { path: '^src/', pathNot: SPEC },
      to: { path: ['^test/', SPEC] },
    },
    {
      name: 'no-dev-packages',
      comment: 'A package that production imports must be installed in production.',
      severity: 'error',
      from: { path: '^src/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'resolvable',
      comment: 'An import that does not resolve fails at start.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    onlyIn(
      'bullmq|@nestjs/bullmq',
      ['queue', 'worker', 'push', 'health', 'metrics'],
      'Queues schedule and nothing else: who decides about a task never sees one.',
    ),
    onlyIn(
      'ioredis',
      ['redis', 'task', 'push', 'auth', 'sse'],
      'Connections are made in redis/; only the stores and the stream hub speak to them.',
    ),
    onlyIn(
      'fastify',
      ['http', 'rpc', 'rest', 'operator', 'sse', 'auth', 'agent-card', 'health', 'metrics'],
      'HTTP ends at the edge; an operation can be called by any binding.',
    ),
    onlyIn(
      '@grpc/[^/]+|@bufbuild/protobuf|grpc-health-check',
      ['grpc'],
      'Protobuf ends at its binding; everything behind it is JSON.',
    ),
    onlyIn(
      'undici',
      ['egress', 'auth'],
      'Requests to addresses that somebody told us go through the guard; the issuer is named by the operator.',
    ),
    ...arrowsPointDown,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Type-only imports are arrows too.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.d.ts', '.json'],
    },
  },
};
