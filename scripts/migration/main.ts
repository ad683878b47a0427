// Makes the fixture of stored data of schema 2 (test/fixtures/schema-2), with the code that wrote such data:
//   git worktree add ../schema-2 6ad73c9 && (cd ../schema-2 && npm ci && npx nest build)
//   node --import ./test/kit/typescript.mjs scripts/migration/main.ts ../schema-2
// It leaves tasks in every state behind, kills the process that runs some of them, asks the old service all that callers
// can ask, and writes its keys to store.json and its answers to answers.json.
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { eventually } from '../../test/kit/eventually.js';
import { FIXTURE_VARIABLES, RECEIVER_PORT } from '../../test/kit/migration/callers.js';
import { type Answers, type FixtureTask, interview } from '../../test/kit/migration/interview.js';
import { dumpKeys, FIXTURE_PREFIX } from '../../test/kit/migration/stored-fixture.js';
import { RedisServer } from '../../test/kit/redis-server.js';
import { OldService } from './old-service.js';
import type { MadeTask } from './sender.js';
import { makeTasks } from './tasks.js';

const FOLDER = new URL('../../test/fixtures/schema-2/', import.meta.url);

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('Name the folder of the built checkout of 6ad73c9.');

const server = await RedisServer.start();
const redis = new Redis(server.url);
const receiver = createServer((request, response) => {
  request.resume();
  // 410 stops a webhook for good.
  response.writeHead(request.url === '/gone' ? 410 : 200).end();
}).listen(RECEIVER_PORT, '127.0.0.1');
try {
  await once(receiver, 'listening');
  const variables = { ...FIXTURE_VARIABLES, REDIS_URL: server.url, KEY_PREFIX: FIXTURE_PREFIX, AUDIT_LOG: '/dev/null' };
  const start = (role: string): Promise<OldService> => OldService.start(checkout, { ...variables, ROLE: role });
  const made = await makeTasks(start);
  const api = await start('api');
  const tasks = await Promise.all(made.map((task) => named(task)));
  const answers = await interview(api.url, tasks);
  await api.stop();
  // The entry of the last process leaves the list of those that run.
  await eventually(
    async () => {
      if ((await redis.zcard(`${FIXTURE_PREFIX}:presence`)) > 0) throw new Error('The old service is still there');
    },
    { timeoutMs: 60_000 },
  );
  const [seconds, micros] = await redis.time();
  const savedAt = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  const keys = (await dumpKeys(redis)).filter(([name]) => !/:rate:|:replicated$/.test(name));
  await mkdir(FOLDER, { recursive: true });
  await writeFile(new URL('store.json', FOLDER), linesOf({ savedAt, tasks, keys }));
  await writeFile(new URL('answers.json', FOLDER), answersText(answers));
  process.stdout.write(`${tasks.length} tasks, ${keys.length} keys, ${Object.keys(answers).length} answers\n`);
} finally {
  receiver.close();
  redis.disconnect();
  await server.stop();
}

async function named({ name, caller, id, clientTaskId, hasWebhooks }: MadeTask): Promise<FixtureTask> {
  const shard = id.slice(0, 2);
  const [first] = await redis.xrange(`${FIXTURE_PREFIX}:{s${shard}}:task:${id}:events`, '1-0', '+', 'COUNT', 1);
  const [entry = '', fields = []] = first ?? [];
  const firstEvent = `${entry.slice(0, entry.indexOf('-'))}-${fields[1] ?? ''}`;
  return {
    ...{ name, caller, id, firstEvent },
    ...(clientTaskId === undefined ? {} : { clientTaskId }),
    ...(hasWebhooks === undefined ? {} : { hasWebhooks }),
  };
}

/** A key a line, so that a diff shows what has changed. */
function linesOf({ savedAt, tasks, keys }: { savedAt: number; tasks: readonly unknown[]; keys: readonly unknown[] }) {
  const lines = (all: readonly unknown[]): string => all.map((one) => JSON.stringify(one)).join(',\n');
  return `{"savedAt":${savedAt},"tasks":[\n${lines(tasks)}\n],"keys":[\n${lines(keys)}\n]}\n`;
}

function answersText(answers: Answers): string {
  const lines = Object.entries(answers).map(
    ([question, answer]) => `${JSON.stringify(question)}:${JSON.stringify(answer)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}
