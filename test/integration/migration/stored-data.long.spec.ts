import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppOverrides } from '../../../src/app.module.js';
import { queuePrefix } from '../../../src/platform/queue/wake-up-queue.js';
import { endMigration } from '../../../src/platform/redis/stored-schema.js';
import { ContextStore } from '../../../src/task/context.store.js';
import { type MigrationSettings, StoreMigration } from '../../../src/task/migration/store-migration.js';
import { SweepStore } from '../../../src/task/sweep.store.js';
import { TASK_DEFAULTS } from '../../../src/task/task.options.js';
import { eventually } from '../../kit/eventually.js';
import { type Caller, CALLERS, FIXTURE_VARIABLES, RECEIVER_PORT } from '../../kit/migration/callers.js';
import { ask, type FixtureTask, interview } from '../../kit/migration/interview.js';
import { LimitedSkill, PlaySkill } from '../../kit/migration/play.skill.js';
import {
  dumpKeys,
  loadFixture,
  readAnswers,
  readFixture,
  type StoredFixture,
  type StoredKey,
} from '../../kit/migration/stored-fixture.js';
import { RedisServer } from '../../kit/redis-server.js';
import { Redis } from 'ioredis';
import { type RunningApp, runApp } from '../../kit/running-app.js';

const PREFIX = 'migrated';
const DAY_MS = 86_400_000;
const SKILLS: AppOverrides = { skills: [PlaySkill, LimitedSkill] };

interface Task {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly unknown[];
}

let server: RedisServer;
let redis: Redis;
let fixture: StoredFixture;

beforeAll(async () => {
  server = await RedisServer.start({ config: { appendonly: 'no', save: '' } });
  redis = new Redis(server.url);
  fixture = await readFixture();
}, 60_000);

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** The data of the fixture alone, saved at that time. */
async function stored(savedAt = Date.now()): Promise<void> {
  await redis.flushall();
  await loadFixture(redis, fixture, PREFIX, savedAt);
}

function migration(settings: Partial<MigrationSettings> = {}, client: Redis = redis): StoreMigration {
  return new StoreMigration(client, {
    options: { ...TASK_DEFAULTS, keyPrefix: PREFIX },
    limited: new Set(['limited']),
    jobPrefixes: [queuePrefix(PREFIX), queuePrefix(PREFIX, 'push')],
    isDryRun: false,
    ...settings,
  });
}

async function service(role: string): Promise<RunningApp> {
  await endMigration(redis, PREFIX);
  return runApp({ ...FIXTURE_VARIABLES, ROLE: role, KEY_PREFIX: PREFIX, REDIS_URL: server.url }, SKILLS);
}

function named(name: string): FixtureTask {
  const task = fixture.tasks.find((one) => one.name === name);
  if (task === undefined) throw new Error(`The fixture has no task ${name}`);
  return task;
}

async function taskOf(url: string, name: string): Promise<Task> {
  const { id, caller } = named(name);
  return ((await ask(url, caller, '1.0', 'GetTask', { id })) as { result: Task }).result;
}

async function attempts(url: string, caller: Caller, id: string): Promise<readonly { readonly attempt: number }[]> {
  const response = await fetch(`${url}/webhooks/attempts/${id}`, { headers: { 'x-api-key': CALLERS[caller].key } });
  return ((await response.json()) as { attempts: readonly { attempt: number }[] }).attempts;
}

async function answer(url: string, name: string, script: readonly (readonly unknown[])[]): Promise<Task> {
  const { id, caller } = named(name);
  const message = {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    taskId: id,
    parts: [{ text: 'yes' }],
    metadata: { script },
  };
  const reply = (await ask(url, caller, '1.0', 'SendMessage', { message })) as { result: { task: Task } };
  return reply.result.task;
}

/** Keys and values, without the times of removal, which differ by ms. */
async function contents(): Promise<readonly (readonly unknown[])[]> {
  const sorted = ([name, type, ttlMs, value]: StoredKey): readonly unknown[] => {
    const pairs = Array.from(value).flatMap((_item, at) => (at % 2 === 0 ? [[value[at], value[at + 1]]] : []));
    // When a context is forgotten follows from its TTL, which differs by milliseconds each time it is stored.
    if (name.endsWith(':contexts')) return [name, type, pairs.map(([context]) => context)];
    return [name, type, ttlMs > 0, type === 'hash' ? Object.fromEntries(pairs) : value];
  };
  return (await dumpKeys(redis)).map(sorted);
}

describe(StoreMigration.name, () => {
  it('has every caller get the answers of the old service, in every dialect, list and stream', async () => {
    await stored();
    const count = await migration().run();
    expect(count).toEqual({
      ...{ tasks: fixture.tasks.length, waiting: 6 },
      states: {
        ...{
          TASK_STATE_SUBMITTED: 4,
          TASK_STATE_WORKING: 6,
          TASK_STATE_INPUT_REQUIRED: 3,
          TASK_STATE_AUTH_REQUIRED: 1,
        },
        ...{ TASK_STATE_COMPLETED: 9, TASK_STATE_FAILED: 1, TASK_STATE_CANCELED: 3, TASK_STATE_REJECTED: 2 },
      },
    });
    const api = await service('api');
    try {
      expect(await interview(api.url, fixture.tasks)).toEqual(await readAnswers());
    } finally {
      await api.close();
    }
  }, 60_000);

  it('leaves no key of schema 2', async () => {
    await stored();
    await migration().run();
    const names = (await dumpKeys(redis)).map(([name]) => name);
    expect(names.filter((name) => /:index|:events$|:steps$|-queue\}|-push\}/.test(name))).toEqual([]);
  }, 30_000);

  it('has waiting and lost runs run on, with steps, state and messages of the old service', async () => {
    await stored();
    await migration().run();
    const all = await service('all');
    try {
      const ended = async (name: string, state = 'COMPLETED'): Promise<Task> =>
        eventually(
          async () => {
            const task = await taskOf(all.url, name);
            expect([name, task.status.state]).toEqual([name, `TASK_STATE_${state}`]);
            return task;
          },
          { timeoutMs: 15_000 },
        );
      for (const name of [
        'submitted',
        'submitted-second',
        'submitted-of-carol',
        'submitted-limited',
        'put-off',
        'working-limited',
      ]) {
        await ended(name);
      }
      expect((await ended('submitted')).artifacts).toMatchObject([{ artifactId: 'late' }]);
      expect((await ended('input-required-again')).artifacts).toMatchObject([
        { artifactId: 'half' },
        { artifactId: 'rest' },
      ]);
      expect((await ended('working-with-messages')).artifacts).toMatchObject([{ artifactId: 'second' }]);
      const working = await ended('working');
      expect(working.artifacts).toMatchObject([
        { artifactId: 'grows', parts: [{ text: 'first ' }, { text: 'second ' }] },
      ]);
      expect(JSON.stringify(working)).toContain('two of schema 2');
      expect(JSON.stringify(working)).not.toContain('of this edition');
      await ended('working-and-canceled', 'CANCELED');

      const answered = await answer(all.url, 'input-required', [['recall', 'answer', 'size']]);
      expect(answered.artifacts).toMatchObject([{ parts: [{ text: '[{"deep":[1,2]},7]' }] }]);
      const { id } = named('auth-required');
      expect(await ask(all.url, 'carol', '1.0', 'CancelTask', { id })).toMatchObject({
        result: { status: { state: 'TASK_STATE_CANCELED' } },
      });
    } finally {
      await all.close();
    }
  }, 60_000);

  it('has a message that is sent again find its task, and another one of its id refused', async () => {
    await stored();
    await migration().run();
    const api = await service('api');
    try {
      const { id } = named('submitted');
      const script = [
        ['step', 'begun late'],
        ['artifact', 'late', 'late'],
      ];
      const message = {
        messageId: 'message-of-submitted',
        role: 'ROLE_USER',
        parts: [{ text: 'of submitted' }],
        metadata: { script, skillId: 'play' },
      };
      const configuration = { returnImmediately: true, acceptedOutputModes: ['text/plain', 'application/json'] };
      const send = (text: string): Promise<unknown> =>
        ask(api.url, 'alice', '1.0', 'SendMessage', { message: { ...message, parts: [{ text }] }, configuration });
      expect(await send('of submitted')).toMatchObject({ result: { task: { id } } });
      expect(await send('another')).toMatchObject({ error: { code: -32602 } });
      const { clientTaskId = '' } = named('input-required-of-0.1');
      const again = { role: 'user', parts: [{ type: 'text', text: 'an answer' }] };
      expect(await ask(api.url, 'alice', undefined, 'tasks/get', { id: clientTaskId, message: again })).toMatchObject({
        result: { id: clientTaskId, status: { state: 'input-required' } },
      });
    } finally {
      await api.close();
    }
  }, 30_000);

  it('goes on with webhooks where they were: retries, cursors, dead letters', async () => {
    await stored();
    await migration().run();
    const { id } = named('input-required-with-webhooks');
    const all = await service('all');
    try {
      const before = (await readAnswers())['input-required-with-webhooks: attempts'] as {
        body: { attempts: unknown[] };
      };
      // The receiver is gone: the attempt after the last recorded one is made, under the next number.
      await eventually(
        async () => {
          const made = await attempts(all.url, 'alice', id);
          expect(made.length).toBeGreaterThan(before.body.attempts.length);
          expect(made.at(-1)?.attempt).toBe(before.body.attempts.length + 1);
        },
        { timeoutMs: 40_000 },
      );
      const headers = { 'x-api-key': CALLERS.alice.key, 'content-type': 'application/json' };
      const body = JSON.stringify({ endpoint: `http://127.0.0.1:${RECEIVER_PORT}` });
      const redriven = await fetch(`${all.url}/webhooks/redrive`, { method: 'POST', headers, body });
      expect(await redriven.json()).toEqual({ revived: 1, gone: 0 });
    } finally {
      await all.close();
    }
  }, 60_000);

  it('removes ended tasks at the time that the old service had set, and unanswered ones fail at theirs', async () => {
    await stored(Date.now() - 8 * DAY_MS);
    await migration().run();
    const all = await service('all');
    try {
      const names = ['completed', 'failed', 'rejected-at-once', 'canceled-while-running', 'completed-of-0.1'];
      for (const name of names)
        await eventually(async () => expect(await taskOf(all.url, name)).toBeUndefined(), { timeoutMs: 15_000 });
      expect((await taskOf(all.url, 'input-required')).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    } finally {
      await all.close();
    }

    await stored(Date.now() - 31 * DAY_MS);
    await migration().run();
    const later = await service('all');
    try {
      await eventually(
        async () => expect((await taskOf(later.url, 'input-required')).status.state).toBe('TASK_STATE_FAILED'),
        { timeoutMs: 15_000 },
      );
    } finally {
      await later.close();
    }
  }, 60_000);

  it('counts exactly what a purge takes back', async () => {
    await stored();
    await migration().run();
    const api = await service('api');
    try {
      const sweep = api.app.get(SweepStore, { strict: false });
      for (const { id } of fixture.tasks) expect(await sweep.purge(id, 'whatever')).toBe(true);
      const contexts = api.app.get(ContextStore, { strict: false });
      for (const owner of ['acme/client:alice', 'umbrella/client:carol'])
        expect(await contexts.forget(owner, undefined)).toBe(1);
    } finally {
      await api.close();
    }
    const left = (await dumpKeys(redis)).map(([name]) => name).filter((name) => name.includes(':{s'));
    // Marks of messages go by themselves, and dead letters outlive their tasks.
    expect(left.filter((name) => !/:sent:|:dead/.test(name))).toEqual([]);
  }, 30_000);

  it('writes nothing in a dry run', async () => {
    await stored();
    const before = await contents();
    expect(await migration({ isDryRun: true }).run()).toMatchObject({ tasks: fixture.tasks.length });
    expect(await contents()).toEqual(before);
  }, 30_000);

  it('ends as it would have when it is cut off at any command and run again', async () => {
    const savedAt = Date.now();
    await stored(savedAt);
    await migration().run();
    const whole = await contents();
    for (let commands = 20, isDone = false; !isDone; commands += 13) {
      await stored(savedAt);
      const client = mortal(new Redis(server.url), commands);
      isDone = await migration({}, client)
        .run()
        .then(
          () => true,
          () => false,
        );
      client.disconnect();
      await migration().run();
      expect(await contents()).toEqual(whole);
    }
  }, 120_000);
});

/** A connection that breaks for good after so many commands. */
function mortal(client: Redis, commands: number): Redis {
  const send = client.sendCommand.bind(client);
  let left = commands;
  client.sendCommand = (command, stream) => {
    left -= 1;
    if (left >= 0) return send(command, stream);
    command.reject(new Error('The process was killed'));
    return command.promise;
  };
  return client;
}
