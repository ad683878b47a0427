import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { inputRequired, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { Receiver } from '../../integration/webhooks/receiver.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { AUDIENCE, TestIssuer } from '../../kit/auth/test-issuer.js';
import { EVERY_WAY } from '../../kit/callers/every-way.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { WireClient } from '../../kit/callers/wire-client.js';
import { eventually } from '../../kit/run/eventually.js';

const modes = { inputModes: ['text/plain'], outputModes: ['text/plain'], tags: ['test'], description: 'Test.' };
const SCOPES =
  'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write a2a:push.read a2a:card.extended a2a:approvals.answer a2a:tasks.observe';

@Skill({ ...modes, id: 'ask', name: 'Ask' })
class AskSkill implements SkillHandler {
  async *run({ turn }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    if (turn === 1) yield inputRequired('Sure?');
  }
}

/** Runs until it is stopped, or until the test lets it end. */
@Skill({ ...modes, id: 'long', name: 'Long' })
class LongSkill implements SkillHandler {
  static release: () => void = () => undefined;

  async *run({ signal }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield working('begun');
    await new Promise<void>((resolve) => {
      LongSkill.release = resolve;
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
  }
}

/** Waits without a run, again and again. */
@Skill({ ...modes, id: 'nap', name: 'Nap' })
class NapSkill implements SkillHandler {
  async *run({ sleep }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield working('sleeps');
    for (;;) await sleep(250);
  }
}

describe('the block list (IDENT-01)', () => {
  let folder: string;
  let running: RunningApp;
  let wire: WireClient;
  let receiver: Receiver;
  let issuer: TestIssuer;
  const clients = new Map<string, RpcClient>();
  const audit = (): string => readFileSync(join(folder, 'audit.log'), 'utf8');
  const headersOf = (key: string): Record<string, string> => ({ 'x-api-key': `${key}.secret` });
  const as = (key: string): RpcClient => clients.get(key) ?? new RpcClient(running.url, headersOf(key));
  const statusOf = async (client: RpcClient): Promise<number> =>
    (await client.post({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} })).status;

  /** Writes the list, with a marker that shows when it is in force. */
  async function block(...entries: object[]): Promise<void> {
    const marker = { tenant: 'marker', client: randomUUID() };
    writeFileSync(join(folder, 'blocks.json'), JSON.stringify({ blocks: [...entries, marker] }));
    const { Blocks } = await import('../../../src/blocks/blocks.js');
    await eventually(() => expect(running.app.get(Blocks, { strict: false }).of(marker)).toBeDefined());
  }

  const stateOf = async (key: string, id: string): Promise<string | undefined> =>
    (await as(key).task('GetTask', { id })).status.state;
  const begin = async (key: string, skillId: string, more: object = {}): Promise<string> => {
    const configuration = { returnImmediately: true, ...more };
    const { id } = await as(key).task('SendMessage', { ...aMessage('hello', { skillId }), configuration });
    return id;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'blocks-'));
    writeFileSync(join(folder, 'blocks.json'), '{"blocks": []}');
    [receiver, issuer] = await Promise.all([new Receiver().listen(), TestIssuer.start()]);
    const keys = ['one', 'two', 'three', 'four'].map((id) =>
      apiKeyEntry(`${id}.secret`, { tenant: 'acme', scopes: SCOPES }),
    );
    const foreign = apiKeyEntry('foreign.secret', { tenant: 'globex', client: 'one', scopes: SCOPES });
    running = await runApp(
      {
        ...{
          API_KEYS: [...keys, foreign].join(';'),
          OWNERSHIP: 'tenant',
          GRPC_PORT: '0',
          MCP: 'true',
          RATE_FAILURE: '100000/100000',
        },
        ...{ JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, JWT_TENANT: 'acme' },
        AUDIT_LOG: join(folder, 'audit.log'),
        EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`,
        PARLEY_FILE: settingsFile({ auth: { blockFile: join(folder, 'blocks.json') } }),
      },
      { skills: [AskSkill, LongSkill, NapSkill], blocks: { pollEveryMs: 20 } },
    );
    wire = new WireClient(running.url, running.grpc ?? '');
  });
  afterEach(async () => {
    await block();
    receiver.received.length = 0;
  });
  afterAll(async () => {
    wire.close();
    await running.close();
    await Promise.all([receiver.close(), issuer.stop()]);
    rmSync(folder, { recursive: true });
  });

  it.each(EVERY_WAY)(
    'refuses a blocked client every call of $name, in the words of a bad key (IDENT-01)',
    async ({ calls }) => {
      await block({ tenant: 'acme', client: 'one', reason: 'left the company' });
      for (const [operation, made] of Object.entries(calls)) {
        const call = made({ taskId: randomUUID(), configId: 'c', messageId: randomUUID() });
        const refused = await wire.call(call, headersOf('one'));
        const wrong = await wire.call(call, { 'x-api-key': 'one.wrong' });
        expect([operation, refused]).toEqual([operation, wrong]);
        const { status } = await wire.call(call, headersOf('foreign'));
        expect([operation, status === 401 || status === 'UNAUTHENTICATED']).toEqual([operation, false]);
      }
      expect(audit()).toContain('"reason":"blocked: left the company"');
    },
  );

  it.each(['/console/api/tasks', '/mcp', '/run', '/extendedAgentCard'])(
    'refuses a blocked client at %s (IDENT-01)',
    async (path) => {
      await block({ tenant: 'acme', client: 'one' });
      const call = async (key: string): Promise<number> =>
        (await fetch(`${running.url}${path}`, { headers: headersOf(key) })).status;
      expect([await call('one'), (await call('two')) === 401]).toEqual([401, false]);
    },
  );

  it('refuses users, tokens, keys and keys of issuers, and their holders again once the entry has gone (IDENT-01)', async () => {
    const token = issuer.token({ client_id: 'desk', sub: 'kim', jti: 'token-7', scope: SCOPES });
    const user = new RpcClient(running.url, { authorization: `Bearer ${token}` });
    const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
    const entries = [
      { tenant: 'acme', subject: 'kim' },
      { tenant: 'acme', client: 'desk', subject: 'kim' },
      { token: 'token-7' },
      { kid },
    ];
    for (const entry of entries) {
      await block(entry);
      expect([entry, await statusOf(user), await statusOf(as('one'))]).toEqual([entry, 401, 200]);
    }
    await block({ apiKey: 'one' });
    expect([await statusOf(user), await statusOf(as('one'))]).toEqual([200, 401]);
    for (const none of [
      { tenant: 'globex', subject: 'kim' },
      { tenant: 'globex', apiKey: 'one' },
      { tenant: 'globex', token: 'token-7' },
    ]) {
      await block(none);
      expect([none, await statusOf(user), await statusOf(as('one'))]).toEqual([none, 200, 200]);
    }
  });

  it('ends the open streams of a blocked client, and no others (IDENT-01)', async () => {
    const id = await begin('two', 'long');
    const ended: string[] = [];
    const follow = async (key: string): Promise<void> => {
      for await (const _event of as(key).stream('SubscribeToTask', { id }))
        if (!ended.includes(`${key} reads`)) ended.push(`${key} reads`);
      ended.push(`${key} ended`);
    };
    const both = [follow('one'), follow('two')];
    await eventually(() => expect([...ended].sort()).toEqual(['one reads', 'two reads']));
    await block({ tenant: 'acme', client: 'one' });
    await eventually(() => expect(ended).toContain('one ended'));
    expect(ended).not.toContain('two ended');
    LongSkill.release();
    await Promise.all(both);
  });

  it('cancels the run in progress of a blocked client, or lets it end where its tasks are held (IDENT-01)', async () => {
    const cut = await begin('one', 'long');
    await eventually(async () => expect(await stateOf('two', cut)).toBe('TASK_STATE_WORKING'));
    await block({ tenant: 'acme', client: 'one' });
    await eventually(async () => expect(await stateOf('two', cut)).toBe('TASK_STATE_CANCELED'));

    const ends = await begin('three', 'long');
    await eventually(async () => expect(await stateOf('two', ends)).toBe('TASK_STATE_WORKING'));
    await block({ tenant: 'acme', client: 'three', tasks: 'hold' });
    expect(await stateOf('two', ends)).toBe('TASK_STATE_WORKING');
    LongSkill.release();
    await eventually(async () => expect(await stateOf('two', ends)).toBe('TASK_STATE_COMPLETED'));
  });

  it('ends a task of a blocked client when it wakes, and when another answers its question (IDENT-01)', async () => {
    const [asleep, asks, held] = [await begin('one', 'nap'), await begin('one', 'ask'), await begin('four', 'ask')];
    for (const id of [asks, held])
      await eventually(async () => expect(await stateOf('two', id)).toBe('TASK_STATE_INPUT_REQUIRED'));
    await block({ tenant: 'acme', client: 'one' }, { tenant: 'acme', client: 'four', tasks: 'hold' });
    for (const taskId of [asks, held]) {
      await as('two').call('SendMessage', {
        ...aMessage('yes', { taskId }),
        configuration: { returnImmediately: true },
      });
    }
    await eventually(async () => expect(await stateOf('two', asks)).toBe('TASK_STATE_CANCELED'));
    await eventually(async () => expect(await stateOf('two', asleep)).toBe('TASK_STATE_CANCELED'), {
      timeoutMs: 15_000,
    });
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']).toContain(
      await stateOf('two', held),
    );
  });

  it('stops the webhooks of a blocked client (IDENT-01)', async () => {
    const taskPushNotificationConfig = { url: receiver.url };
    const mine = await begin('one', 'ask', { taskPushNotificationConfig });
    await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_INPUT_REQUIRED'));
    const before = receiver.received.length;
    await block({ tenant: 'acme', client: 'one' });
    await as('two').call('SendMessage', {
      ...aMessage('yes', { taskId: mine }),
      configuration: { returnImmediately: true },
    });
    await eventually(async () => expect(await stateOf('two', mine)).toBe('TASK_STATE_CANCELED'));
    const other = await begin('two', 'ask', { taskPushNotificationConfig });
    await eventually(() => expect(receiver.received.some(({ body }) => body.includes(other))).toBe(true));
    expect(receiver.received.slice(before).filter(({ body }) => body.includes(mine))).toEqual([]);
  });
});
