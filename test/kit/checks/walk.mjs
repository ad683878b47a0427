/**
 * Measures the way of one call through our files, for docs/architecture.md. Two counts:
 * - `walk`: files with a frame on the (asynchronous) stack when Redis is asked, a response is written or an event is posted;
 *   these hand the call on, from the socket to the commit and back.
 * - `ran`: all files with a function that runs during the call, by V8's precise coverage; helpers that return are in it.
 * Service (every role, authentication by API key) and caller are this process. A file counts when it is found in each of
 * several calls, so that timers that happen to fire do not. Round trips to Redis: the commands of one turn of the event loop
 * on one connection are one.
 *
 *   node test/kit/checks/walk.mjs [--json]
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers';

const DIST = new URL('../../../dist/', import.meta.url).href;
const ROUNDS = 12;
const WARM_MS = 5_000;
const KEY = 'walk.secret';
const folder = mkdtempSync(join(tmpdir(), 'parley-walk-'));
const digest = createHash('sha256').update(KEY).digest('hex');
const scopes = 'a2a:message.send,a2a:tasks.read';

Error.stackTraceLimit = 300;
/** @type {Set<string>} */
const stacks = new Set();
/** @type {Map<unknown, string[]>} */
const turn = new Map();
/** @type {string[][]} */
const trips = [];

const { Redis } = await import('ioredis');
const { createApp } = await import('../../../dist/main/bootstrap.js');
const { loadConfig } = await import('../../../dist/main/app.environment.js');
const { loadSkills } = await import('../../../dist/main/app.skills.js');
const { startEmbeddedRedis } = await import('../../../dist/platform/redis/embedded/embedded-redis.js');

watch(Redis.prototype, 'sendCommand', (command, connection) => {
  if (!turn.has(connection)) {
    turn.set(connection, []);
    trips.push(turn.get(connection) ?? []);
    setImmediate(() => turn.delete(connection));
  }
  turn.get(connection)?.push(String(command.name));
});
for (const method of ['write', 'end']) watch(ServerResponse.prototype, method, () => undefined);

const received = { count: 0 };
const receiver = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    received.count += 1;
    response.end();
  });
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', () => resolve(undefined)));
const address = receiver.address();
const hook = `http://localhost:${address !== null && typeof address === 'object' ? address.port : 0}/`;

const variables = {
  PORT: '0',
  LOG_LEVEL: 'warn',
  AUDIT_LOG: devNull,
  DATA_DIR: folder,
  SKILLS: 'echo',
  API_KEYS: `walk:acme:walk:${scopes}:${digest}`,
  EGRESS_ALLOW: `${new URL(hook).host}=127.0.0.1/32!http`,
};
const environment = loadConfig(variables);
const redis = await startEmbeddedRedis({ dataDir: folder, onProgress: () => undefined });
const skills = await loadSkills(environment, variables);
const app = await createApp({ environment, redisUrl: redis.url, version: '0.0.0', skills });
try {
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const walks = {
    'blocking SendMessage': () => call(url, 'SendMessage', {}),
    'SendStreamingMessage, read to its end': () => call(url, 'SendStreamingMessage', {}),
    'SendMessage with a webhook, until its last event is delivered': async () => {
      const before = received.count;
      await call(url, 'SendMessage', { taskPushNotificationConfig: { url: hook } });
      while (received.count < before + 4) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, 50));
    },
  };
  const lists = Object.fromEntries(
    await inTurn(Object.entries(walks), async ([name, walk]) => [name, await filesOf(session, walk)]),
  );
  print(lists);
} finally {
  await app.close();
  await redis.stop();
  receiver.closeAllConnections();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The files of ours that run in every round. @param {Session} session @param {() => Promise<void>} walk
 * @returns {Promise<{ walk: string[], ran: string[], trips: number }>}
 */
async function filesOf(session, walk) {
  for (let round = 0; round < ROUNDS; round += 1) await walk();
  // A limiter whose first script was slow asks Redis again after a pause.
  await new Promise((resolve) => setTimeout(resolve, WARM_MS));
  await walk();
  /** @type {Set<string> | undefined} */
  let common;
  /** @type {Set<string> | undefined} */
  let handed;
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    await session.post('Profiler.takePreciseCoverage');
    stacks.clear();
    trips.length = 0;
    await walk();
    const walked = filesOfStacks();
    least = Math.min(least, trips.length);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(
      ({ url, functions }) =>
        url.startsWith(DIST) &&
        functions.some(({ functionName, ranges: [range] }) => functionName !== '' && (range?.count ?? 0) > 0),
    );
    const files = new Set(ran.map(({ url }) => url.slice(DIST.length).replace(/\.js$/, '.ts')));
    common = common === undefined ? files : new Set([...common].filter((file) => files.has(file)));
    handed = handed === undefined ? walked : new Set([...handed].filter((file) => walked.has(file)));
  }
  return { walk: [...(handed ?? [])].sort(), ran: [...(common ?? [])].sort(), trips: least };
}

/** Our files on the stacks since they were forgotten last. */
function filesOfStacks() {
  const urls = [...stacks].flatMap((stack) => [...stack.matchAll(/file:\/\/[^):]+/g)].map(([url]) => url));
  return new Set(
    urls.filter((url) => url.startsWith(DIST)).map((url) => url.slice(DIST.length).replace(/\.js$/, '.ts')),
  );
}

/**
 * Keeps the stack of each call of a method. @param {any} prototype @param {string} name @param {(first: any, self: unknown) => void} seen
 */
function watch(prototype, name, seen) {
  const original = prototype[name];
  prototype[name] = function (/** @type {any[]} */ ...parameters) {
    const stack = new Error().stack ?? '';
    stacks.add(stack);
    seen(parameters[0], this);
    return original.apply(this, parameters);
  };
}

/** Makes one call. @param {string} url @param {string} method @param {object} configuration */
async function call(url, method, configuration) {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Hello' }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message, configuration } });
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': KEY };
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (!text.includes('TASK_STATE_COMPLETED')) throw new Error(text);
}

/**
 * @template A, B
 * @param {readonly A[]} items @param {(item: A) => Promise<B>} work @returns {Promise<B[]>}
 */
async function inTurn(items, work) {
  const done = [];
  for (const item of items) done.push(await work(item));
  return done;
}

/** @param {Record<string, { walk: string[], ran: string[], trips: number }>} lists */
function print(lists) {
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify(lists, undefined, 2));
    return;
  }
  for (const [name, files] of Object.entries(lists))
    console.log(
      `${name}: ${files.walk.length} on the walk, ${files.ran.length} ran, ${files.trips} round trips\n  ${files.walk.join('\n  ')}\n`,
    );
}
