/**
 * The architecture as rules. The rooms of src/ are layers: a room may import the rooms of the lines above its own, and no
 * room of its own line or below. Everything may import packages/, which import nothing of src/.
 */

/** From the ground up. A folder of src/ that no line names fails `every-room-has-a-line`. */
const LAYERS = [
  ['platform'],
  ['audit', 'blocks', 'exports', 'limits', 'outbound', 'secrets', 'tasks'],
  ['auth', 'policy', 'skill', 'webhooks'],
  ['agents', 'models'],
  ['runs'],
  ['operations'],
  ['http'],
  ['remote-agents'],
  // Optional parts (`defineFeature`) among them: they do not import each other (test/contract/conventions.spec.ts).
  ['admin', 'endpoints', 'mcp-tools', 'registry', 'undo'],
  ['main'],
  ['cli'],
];

const ROOMS = LAYERS.flat();
const SPEC = '\\.spec\\.ts$';
const filesOf = (rooms) => `^src/(${rooms.join('|')})/`;
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** Packages of the service that are not for skills. */
const INFRASTRUCTURE = 'ioredis|bullmq|fastify|@nestjs/(bullmq|core|platform-fastify)';

/** One rule per room: of src/ it may import itself and the lines above its own. */
const arrowsPointDown = LAYERS.flatMap((line, at) =>
  line.map((room) =>
    rule(
      `${room}-points-down`,
      `${room}/ may import only the rooms of the lines above its own in LAYERS.`,
      { path: filesOf([room]), pathNot: SPEC },
      { path: '^src/', pathNot: filesOf([room, ...LAYERS.slice(0, at).flat()]) },
    ),
  ),
);

/** A package that only some folders may import. */
const onlyIn = (name, folders, comment) =>
  rule(
    `${name.split('|')[0]}-in-its-place`,
    comment,
    { path: '^src/[^/]+/', pathNot: [filesOf([...folders, 'main']), SPEC] },
    { path: `node_modules/(${name})/` },
  );

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule(
      'no-circular',
      'A cycle between two injectables kills an ESM Nest application at import; forwardRef does not help.',
      {},
      { circular: true },
    ),
    {
      ...rule(
        'no-folder-circles',
        'Two folders that import each other are one module in two places: move what they share below both.',
        { path: '^(src|packages/[^/]+/src)/[^/]+' },
        { circular: true },
      ),
      scope: 'folder',
    },
    rule(
      'every-room-has-a-line',
      'A new folder has a line in LAYERS above.',
      { path: '^src/[^/]+/', pathNot: filesOf(ROOMS) },
      {},
    ),
    rule(
      'no-orphans',
      'A file that nobody imports is dead; packs are loaded by name; an .mjs is a program of its own.',
      { orphan: true, pathNot: [SPEC, '^src/(main|api|cli/parley)\\.ts$', '^skills/', '\\.mjs$'] },
      {},
    ),
    rule(
      'packages-know-no-service',
      'What others install stands without the service: its package.json names all that it needs.',
      { path: '^packages/' },
      { path: '^(src|console|scripts|skills|test)/' },
    ),
    rule(
      'protocol-is-pure',
      'A codec turns JSON into JSON: no package or module that does I/O.',
      { path: '^packages/protocol/src/', pathNot: SPEC },
      {
        pathNot: [
          '^packages/protocol/src/',
          '^(node:)?(buffer|crypto)$',
          'node_modules/(secure-json-parse|canonicalize)/',
        ],
      },
    ),
    rule(
      'model-knows-no-codec',
      'The model of 1.0 is what every codec writes and reads: it imports none of them.',
      { path: '^packages/protocol/src/(model|extension|proto)/', pathNot: SPEC },
      { pathNot: '^packages/protocol/src/(model|extension|proto)/' },
    ),
    rule(
      'one-version-one-folder',
      'Deleting a version of A2A is deleting its folder and one line of codecs.ts; 0.1 is 0.3 with differences.',
      { path: '^packages/protocol/src/(v\\d_\\d)/', pathNot: SPEC },
      { path: '^packages/protocol/src/v\\d_\\d/', pathNot: ['^packages/protocol/src/($1|v0_3)/'] },
    ),
    rule(
      'skills-see-the-api-only',
      'A skill is written against `@parley/sdk` as anybody else would write it: it sees nothing else of ours.',
      { path: '^skills/', pathNot: SPEC },
      {
        path: ['^(src|packages|test|scripts)/', `node_modules/(${INFRASTRUCTURE})/`],
        pathNot: '^packages/sdk/src/(skill|agent|model)/api\\.ts$',
      },
    ),
    rule(
      'packs-do-not-know-each-other',
      'Each pack can be left out of SKILLS and of the image.',
      { path: '^skills/([^/]+)/', pathNot: SPEC },
      { path: '^skills/', pathNot: '^skills/$1/' },
    ),
    rule(
      'pages-see-the-protocol-only',
      'What runs in browsers knows the service by its API; of our sources it has types and codecs of the protocol, checks cards, and reads bundles.',
      { path: '^console/' },
      {
        path: '^(src|packages|skills|test|scripts)/',
        pathNot: [
          '^packages/protocol/src/(model|extension)/',
          '^src/admin/snapshots/(bundle-lines|diff-bundles|snapshot-at)\\.ts$',
          '^src/tasks/survey/event-view\\.ts$',
          '^packages/protocol/src/(v0_3/client-codec|v1_0/(client-codec|rest-call)|card/(card-finding|check-card))\\.ts$',
          '^packages/client/src/card/verify-card\\.ts$',
        ],
      },
    ),
    rule(
      'the-service-stands-alone',
      'Packs are loaded by name, pages are served as files, and no test runs in production.',
      { path: '^src/', pathNot: SPEC },
      { path: ['^(skills|console|test|scripts)/', SPEC] },
    ),
    rule(
      'package-json-is-the-wall',
      'A package that production imports is a dependency in the package.json of the importing file.',
      { path: '^(src|packages|skills)/', pathNot: SPEC },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: 'node_modules/@types/' },
    ),
    rule('resolvable', 'An import that does not resolve fails at start.', {}, { couldNotResolve: true }),
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
