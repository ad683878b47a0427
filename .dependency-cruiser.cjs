/**
 * The architecture of src/ as rules: which module may import which. Arrows point down:
 * server (the bindings) -> operation -> task/feed, push, run -> skill, task -> security -> platform -> protocol, wire.
 * Every folder of src/ has a row; a folder without one fails `every-module-has-a-row`.
 */

/** Modules of src/, and what each may import of ours next to itself. A row `a` covers `a/` but not rows below it. */
const MAY_IMPORT = {
  protocol: [],
  wire: ['protocol'],
  'platform/validation': [],
  'platform/config': ['platform/validation'],
  'platform/typescript': [],
  'platform/address': [],
  'platform/tracing': ['platform/config'],
  'platform/metrics': ['protocol'],
  'platform/logging': ['platform/config'],
  'platform/health': [],
  'platform/redis': ['platform/config', 'platform/health', 'platform/metrics', 'platform/tracing'],
  'platform/queue': ['platform/health', 'platform/redis'],
  'security/secret': [],
  'security/egress': ['platform/tracing'],
  'security/audit': ['platform/logging', 'platform/metrics', 'protocol'],
  'security/limit': ['platform/metrics', 'platform/redis', 'protocol'],
  'security/auth': [
    'platform/validation',
    'security/audit',
    'security/egress',
    'security/limit',
    'platform/config',
    'platform/redis',
    'protocol',
  ],
  skill: ['platform/validation', 'protocol'],
  intent: ['skill', 'wire', 'protocol'],
  policy: ['skill', 'platform/redis', 'platform/validation', 'security/audit', 'protocol'],
  model: ['platform/metrics', 'platform/tracing', 'skill', 'wire', 'protocol'],
  task: ['platform/metrics', 'platform/redis', 'platform/tracing', 'protocol'],
  'task/feed': ['task', 'platform/metrics', 'platform/redis', 'protocol'],
  'agent/flow': ['skill', 'protocol'],
  'task/survey': ['task', 'platform/redis', 'protocol'],
  agent: ['policy', 'skill', 'task', 'protocol'],
  run: [
    'agent',
    'policy',
    'skill',
    'task',
    'platform/health',
    'platform/metrics',
    'platform/queue',
    'platform/redis',
    'platform/tracing',
    'protocol',
  ],
  push: [
    'task',
    'security/egress',
    'wire',
    'platform/health',
    'platform/metrics',
    'platform/queue',
    'platform/redis',
    'platform/tracing',
    'protocol',
  ],
  'agent-card': [
    'intent',
    'policy',
    'skill',
    'security/auth',
    'platform/address',
    'platform/validation',
    'protocol',
    'wire',
  ],
  // The client of other agents: shared by the service and the command line, which loads neither Nest nor Redis.
  'remote/client': ['wire', 'protocol'],
  'remote/directory': ['remote/client', 'security/egress', 'wire', 'platform/config', 'platform/redis', 'protocol'],
  'remote/mirror': ['remote/client', 'remote/directory', 'skill', 'task', 'wire', 'protocol'],
  remote: ['remote/directory', 'remote/mirror', 'skill', 'task', 'security/egress', 'platform/redis'],
  operation: [
    'intent',
    'policy',
    'platform/validation',
    'task',
    'task/feed',
    'run',
    'push',
    'agent',
    'skill',
    'agent-card',
    'security/audit',
    'security/auth',
    'security/limit',
    'platform/metrics',
    'platform/tracing',
    'protocol',
  ],
  'server/http': [
    'intent',
    'operation',
    'server/health',
    'wire',
    'platform/logging',
    'security/audit',
    'security/auth',
    'security/limit',
    'platform/metrics',
    'platform/redis',
    'platform/tracing',
    'protocol',
  ],
  'server/guards': ['security/audit', 'security/auth', 'protocol'],
  'server/filters': ['server/http', 'protocol'],
  'server/sse': ['operation', 'platform/metrics'],
  'server/rpc': [
    'intent',
    'server/http',
    'server/guards',
    'server/sse',
    'security/auth',
    'operation',
    'wire',
    'platform/metrics',
    'protocol',
  ],
  'server/rest': [
    'server/http',
    'server/guards',
    'server/filters',
    'server/sse',
    'security/auth',
    'operation',
    'wire',
    'platform/metrics',
    'protocol',
  ],
  'server/intent': ['intent', 'server/http', 'server/guards', 'server/filters', 'operation', 'wire', 'protocol'],
  'server/lane': [
    'server/intent',
    'server/guards',
    'server/http',
    'server/rest',
    'server/rpc',
    'server/well-known',
    'security/auth',
  ],
  'server/grpc': [
    'server/http',
    'server/sse',
    'operation',
    'task/feed',
    'wire',
    'security/auth',
    'platform/address',
    'platform/metrics',
    'platform/tracing',
    'protocol',
  ],
  'server/openapi': [
    'agent-card',
    'intent',
    'operation',
    'skill',
    'wire',
    'server/guards',
    'server/http',
    'server/rest',
    'protocol',
  ],
  'server/well-known': [
    'server/http',
    'server/guards',
    'agent-card',
    'skill',
    'push',
    'wire',
    'security/auth',
    'protocol',
  ],
  'server/mcp': [
    'server/http',
    'server/guards',
    'server/sse',
    'operation',
    'agent-card',
    'skill',
    'wire',
    'security/auth',
    'security/limit',
    'security/secret',
    'platform/tracing',
    'protocol',
  ],
  'server/operator': ['server/http', 'server/guards', 'operation', 'push', 'security/auth', 'protocol'],
  'server/console': [
    'server/http',
    'server/guards',
    'server/sse',
    'operation',
    'push',
    'run',
    'task',
    'task/feed',
    'task/survey',
    'security/audit',
    'security/auth',
    'security/limit',
    'platform/health',
    'platform/metrics',
    'platform/redis',
    'protocol',
  ],
  'server/health': ['server/guards', 'platform/health', 'platform/redis'],
  'cli/client': ['remote/client', 'wire', 'platform/config', 'protocol'],
  cli: [
    'policy',
    'cli/client',
    'agent-card',
    'run',
    'push',
    'task',
    'skill',
    'security/auth',
    'security/egress',
    'security/secret',
    'platform/address',
    'platform/config',
    'platform/queue',
    'platform/redis',
    'protocol',
  ],
};

/** Files at the top of src/ that a module may import: `doctor` checks the options of each module, `parley start` starts it all. */
const WIRING = { cli: ['^src/(app\\.(settings|skills)|banner|start)\\.ts$'] };

const MODULES = Object.keys(MAY_IMPORT);
const SPEC = '\\.spec\\.ts$';

const inFolders = (folders) => `^src/(${folders.join('|')})/`;

/** The files of a module without those of the modules inside it. */
const filesOf = (module) => ({
  path: inFolders([module]),
  inner: MODULES.filter((other) => other.startsWith(`${module}/`)).map((other) => inFolders([other])),
});

/** One rule per module: every other module is forbidden but those of its row. */
const arrowsPointDown = MODULES.map((module) => {
  const allowed = [module, ...MAY_IMPORT[module]];
  const { path, inner } = filesOf(module);
  return {
    name: `${module.replace('/', '-')}-points-down`,
    comment: `${module}/ may import only ${allowed.slice(1).join(', ') || 'nothing of ours'}.`,
    severity: 'error',
    from: { path, pathNot: [SPEC, ...inner] },
    to: {
      path: '^src/',
      pathNot: [...allowed.map((other) => `^src/${other}/${nestedGuard(other)}`), ...(WIRING[module] ?? [])],
    },
  };
});

/** Keeps a row `task` from allowing `task/feed` as well. */
function nestedGuard(module) {
  const drawers = MODULES.filter((other) => other.startsWith(`${module}/`)).map((other) =>
    other.slice(module.length + 1),
  );
  return drawers.length === 0 ? '' : `(?!(${drawers.join('|')})/)`;
}

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
      name: 'no-folder-circles',
      comment: 'Two folders that import each other are one module in two places: move what they share below both.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/[^/]+' },
      to: { circular: true },
    },
    {
      name: 'every-module-has-a-row',
      comment: 'A new folder states what it may import, in MAY_IMPORT above.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: MODULES.map((module) => inFolders([module])) },
      to: {},
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody imports is dead; packs are loaded by name; an .mjs is a program of its own.',
      severity: 'error',
      from: { orphan: true, pathNot: [SPEC, '^src/(main|api|cli/parley)\\.ts$', '^skills/', '\\.mjs$'] },
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
      name: 'skills-see-the-api-only',
      comment:
        'A skill is written against `parley/skill` as anybody else would write it: it sees nothing else of ours.',
      severity: 'error',
      from: { path: '^skills/', pathNot: SPEC },
      to: { path: '^(src|test|scripts)/', pathNot: '^src/(skill|agent/flow|model)/api\\.ts$' },
    },
    {
      name: 'packs-do-not-know-each-other',
      comment: 'Each pack can be left out of SKILLS and of the image.',
      severity: 'error',
      from: { path: '^skills/([^/]+)/', pathNot: SPEC },
      to: { path: '^skills/', pathNot: '^skills/$1/' },
    },
    {
      name: 'skill-imports-no-infrastructure',
      comment: 'The packages of the service are not for skills.',
      severity: 'error',
      from: { path: '^skills/', pathNot: SPEC },
      to: { path: 'node_modules/(ioredis|bullmq|fastify|@nestjs/(bullmq|core|platform-fastify))/' },
    },
    {
      name: 'the-service-names-no-pack',
      comment: 'Packs are loaded by name at the start: without one, nothing of it is left.',
      severity: 'error',
      from: { path: '^src/', pathNot: SPEC },
      to: { path: '^skills/' },
    },
    {
      name: 'pages-see-the-protocol-only',
      comment: 'What runs in browsers knows the service by its API; of our sources it has types of the protocol.',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(src|skills|test|scripts)/', pathNot: '^src/protocol/' },
    },
    {
      name: 'the-service-imports-no-page',
      comment: 'The pages are files that the service serves: it is built and runs without them.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^console/' },
    },
    {
      name: 'only-the-edge-answers',
      comment: 'Operations and below never see a request: nothing but the application imports the server.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: ['^src/server/', SPEC] },
      to: { path: '^src/server/' },
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
      ['platform/queue', 'run', 'push'],
      'Queues schedule and nothing else: who decides about a task never sees one.',
    ),
    onlyIn(
      'ioredis',
      ['platform/redis', 'task', 'push', 'security/auth'],
      'Connections are made in redis/; only the stores and the stream hub speak to them.',
    ),
    onlyIn(
      'fastify',
      ['server', 'security/auth', 'platform/metrics'],
      'HTTP ends at the edge; an operation can be called by any binding.',
    ),
    onlyIn(
      '@grpc/[^/]+|@bufbuild/protobuf|grpc-health-check',
      ['server/grpc'],
      'Protobuf ends at its binding; everything behind it is JSON.',
    ),
    onlyIn(
      'undici',
      ['security/egress', 'security/auth'],
      'Requests to addresses that somebody told us go through the guard; the issuer is named by the operator.',
    ),
    ...arrowsPointDown,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // A spec may reach for what it proves; folders are judged by what runs in production.
    exclude: { path: SPEC },
    tsConfig: { fileName: 'tsconfig.json' },
    // Type-only imports are arrows too.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.d.ts', '.json'],
    },
  },
};
