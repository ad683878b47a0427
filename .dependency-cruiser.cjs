/**
 * The architecture as rules. The rooms of src/ are layers: a room may import the rooms of the lines above its own, and no
 * room of its own line or below. Everything may import packages/, which import nothing of src/.
 */

/** From the ground up. A room `tasks` does not cover a room `tasks/feed`; a folder that no line names fails `every-room-has-a-line`. */
const LAYERS = [
  [
    'platform/address',
    'platform/config',
    'platform/feed',
    'platform/health',
    'platform/traffic',
    'platform/typescript',
  ],
  ['platform/metrics', 'platform/tracing', 'secrets', 'exports', 'registry/ard'],
  ['platform/logging', 'platform/redis', 'outbound'],
  ['platform/breaker', 'platform/queue', 'audit', 'limits', 'mcp-tools/client'],
  ['auth', 'skill', 'tasks'],
  ['tasks/feed', 'tasks/survey', 'policy', 'models', 'operations/intents', 'remote-agents/directory', 'webhooks'],
  ['agents', 'agents/card', 'registry'],
  ['runs', 'admin/playground', 'admin/snapshots'],
  ['operations'],
  ['http/guards'],
  ['http/health'],
  ['http', 'http/sse'],
  ['http/binding', 'remote-agents/callback'],
  ['http/rpc', 'http/rest', 'http/grpc', 'http/well-known', 'endpoints/mcp', 'registry/api', 'remote-agents/mirror'],
  ['http/openapi', 'mcp-tools', 'remote-agents', 'admin/console', 'admin/operator'],
  ['endpoints/run'],
  ['endpoints'],
  ['main'],
  ['cli'],
];

const ROOMS = LAYERS.flat();
const SPEC = '\\.spec\\.ts$';

/** The files of a room without those of the rooms inside it, as a pattern. */
function filesOf(room) {
  const inner = ROOMS.filter((other) => other.startsWith(`${room}/`)).map((other) => other.slice(room.length + 1));
  return inner.length === 0 ? `^src/${room}/` : `^src/${room}/(?!(${inner.join('|')})/)`;
}

/** One rule per room: of src/ it may import itself and the lines above its own. */
const arrowsPointDown = LAYERS.flatMap((line, at) =>
  line.map((room) => ({
    name: `${room.replace('/', '-')}-points-down`,
    comment: `${room}/ may import only the rooms of the lines above its own in LAYERS.`,
    severity: 'error',
    from: { path: filesOf(room), pathNot: SPEC },
    to: { path: '^src/', pathNot: [room, ...LAYERS.slice(0, at).flat()].map(filesOf) },
  })),
);

const inFolders = (folders) => `^src/(${folders.join('|')})/`;

/** A package that only some folders may import. */
const onlyIn = (packageName, folders, comment) => ({
  name: `${packageName.split('|')[0]}-in-its-place`,
  comment,
  severity: 'error',
  from: { path: '^src/[^/]+/', pathNot: [inFolders([...folders, 'main']), SPEC] },
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
      from: { path: '^(src|packages/[^/]+/src)/[^/]+' },
      to: { circular: true },
    },
    {
      name: 'every-room-has-a-line',
      comment: 'A new folder has its place in LAYERS above.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: ROOMS.map(filesOf) },
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
      name: 'packages-know-no-service',
      comment: 'What others install stands without the service: its package.json names all that it needs.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(src|console|scripts|skills|test)/' },
    },
    {
      name: 'protocol-is-pure',
      comment: 'A codec turns JSON into JSON: no package or module that does I/O.',
      severity: 'error',
      from: { path: '^packages/protocol/src/', pathNot: SPEC },
      to: {
        pathNot: [
          '^packages/protocol/src/',
          '^(node:)?(buffer|crypto)$',
          'node_modules/(secure-json-parse|canonicalize)/',
        ],
      },
    },
    {
      name: 'model-knows-no-codec',
      comment: 'The model of 1.0 is what every codec writes and reads: it imports none of them.',
      severity: 'error',
      from: { path: '^packages/protocol/src/(model|extension|proto)/', pathNot: SPEC },
      to: { pathNot: '^packages/protocol/src/(model|extension|proto)/' },
    },
    {
      name: 'one-version-one-folder',
      comment:
        'Deleting a version of A2A is deleting its folder and one line of codecs.ts; 0.1 is 0.3 with differences.',
      severity: 'error',
      from: { path: '^packages/protocol/src/(v\\d_\\d)/', pathNot: SPEC },
      to: { path: '^packages/protocol/src/v\\d_\\d/', pathNot: ['^packages/protocol/src/($1|v0_3)/'] },
    },
    {
      name: 'skills-see-the-api-only',
      comment: 'A skill is written against `@parley/sdk` as anybody else would write it: it sees nothing else of ours.',
      severity: 'error',
      from: { path: '^skills/', pathNot: SPEC },
      to: { path: '^(src|packages|test|scripts)/', pathNot: '^packages/sdk/src/(skill|agent|model)/api\\.ts$' },
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
      comment:
        'What runs in browsers knows the service by its API; of our sources it has types and codecs of the protocol, checks cards, and reads bundles.',
      severity: 'error',
      from: { path: '^console/' },
      to: {
        path: '^(src|packages|skills|test|scripts)/',
        pathNot: [
          '^packages/protocol/src/(model|extension)/',
          '^src/admin/snapshots/(bundle-lines|diff-bundles|event-view|snapshot-at)\\.ts$',
          '^packages/protocol/src/(v0_3/client-codec|v1_0/(client-codec|rest-call)|card/(card-finding|check-card))\\.ts$',
          '^packages/client/src/card/verify-card\\.ts$',
        ],
      },
    },
    {
      name: 'the-service-imports-no-page',
      comment: 'The pages are files that the service serves: it is built and runs without them.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^console/' },
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
      ['platform/queue', 'runs', 'webhooks'],
      'Queues schedule and nothing else: who decides about a task never sees one.',
    ),
    onlyIn(
      'ioredis',
      ['platform/redis', 'tasks', 'webhooks', 'auth'],
      'Connections are made in redis/; only the stores and the stream hub speak to them.',
    ),
    onlyIn(
      'fastify',
      ['http', 'endpoints', 'admin', 'registry/api', 'remote-agents/callback', 'auth', 'platform/metrics'],
      'HTTP ends at the edge; an operation can be called by any binding.',
    ),
    onlyIn(
      '@grpc/[^/]+|@bufbuild/protobuf|grpc-health-check',
      ['http/grpc'],
      'Protobuf ends at its binding; everything behind it is JSON.',
    ),
    onlyIn(
      'undici',
      ['outbound', 'auth'],
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
      conditionNames: ['parley-source', 'import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.d.ts', '.json'],
    },
  },
};
