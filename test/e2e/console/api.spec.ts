import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FeedFrame } from '../../../src/admin/console/feed/console-feed.js';
import type { Task } from '@parley/protocol/model/task.js';
import { artifact, completed, inputRequired, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { readBundle } from '../../../src/admin/snapshots/bundle.js';
import { replayBundle } from '../../../src/admin/snapshots/replay-bundle.js';
import { RequestMethod } from '@nestjs/common';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { CONSOLE_ROUTES } from '../../kit/console/routes.js';
import { eventually } from '../../kit/run/eventually.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED, type Step } from '../../kit/skills/scripted.skill.js';

const CALLER = 'caller.secret-of-a-caller';
const OBSERVER = 'observer.secret-of-an-observer';
const READER = 'reader.secret-of-a-reader';
const APPROVER = 'approver.secret-of-an-approver';
const SECOND = 'second.secret-of-a-second-approver';
const RERUNNER = 'rerunner.secret-of-a-rerunner';
const OPERATOR = 'operator.secret-of-an-operator';
const STRANGER = 'stranger.secret-of-another-tenant';
const PLATFORM = 'platform.secret-of-the-platform';
const EVERYTHING = 'everything.secret-of-another-tenant';

const all =
  'a2a:approvals.answer,a2a:tasks.observe,a2a:tasks.operate,a2a:tasks.read,a2a:webhooks.operate,a2a:platform.observe';

/** Scopes that routes ask for, and for each a caller that has all others. */
const ASKED = [...new Set(CONSOLE_ROUTES.flatMap(({ scopes }) => scopes))];
const lacking = (scope: string): string => `lacks${String(ASKED.indexOf(scope))}.secret-of-one-that-lacks-a-scope`;
/** For each set of scopes that a route asks for, a caller that has exactly these. */
const SETS = [...new Set(CONSOLE_ROUTES.map(({ scopes }) => scopes.join(',')))].filter((set) => set !== '');
const having = (scopes: readonly string[]): string =>
  `has${String(SETS.indexOf(scopes.join(',')))}.secret-of-one-that-has-scopes`;

/** Asks two persons other than its caller, and says who gave the second answer. */
@Skill({ id: 'approving', name: 'Approving', description: 'Has something approved.', tags: ['test'] })
class ApprovingSkill implements SkillHandler {
  async *run({ ask, text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const schema = { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] };
    const approvers = text === 'one' ? {} : { fourEyes: true, count: 2 };
    const { value, sender } = await ask({ question: 'Pay 12,000?', schema, approvers });
    yield completed(`${JSON.stringify(value)} by ${String(sender?.client)}`);
  }
}

/** Works before and after a question, and notes what it really does. */
const worked: string[] = [];
@Skill({ id: 'writing', name: 'Writing', description: 'Plans, asks and writes.', tags: ['test'] })
class WritingSkill implements SkillHandler {
  async *run({ ask, step }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const done = async (name: string): Promise<string> => {
      worked.push(name);
      return Promise.resolve(`${name} no. ${String(worked.length)}`);
    };
    const plan = await step('plan', () => done('plan'));
    const { text } = await ask({ question: `Is ${plan} good?` });
    const page = await step('write', () => done('write'));
    yield completed(`${plan}, ${text}, ${page}`);
  }
}

/** Stores the result of a step and breaks, in each of its two attempts, with a secret in its error. */
@Skill({ id: 'breaking', name: 'Breaking', description: 'Breaks.', tags: ['test'], maxAttempts: 2 })
class BreakingSkill implements SkillHandler {
  // eslint-disable-next-line require-yield
  async *run({ step, attempt }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await step('count', () => Promise.resolve({ rows: 42 }));
    throw new TypeError(`connection ${String(attempt)} refused by db, password=hunter22`);
  }
}

/** What became of the skill: it asks nobody any more. */
@Skill({ id: 'approving', name: 'Approving', description: 'Approves by itself.', tags: ['test'] })
class HastySkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield completed('nobody was asked');
  }
}

describe('/console/api', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-console-'));
  const auditFile = join(folder, 'audit.log');
  let variables: Readonly<Record<string, string>>;
  let running: RunningApp;
  let asks: Task;

  beforeAll(async () => {
    variables = {
      AUDIT_LOG: auditFile,
      SECRET_KEYS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
      CONSOLE_PLATFORM_CLIENTS: ['platform', ...SETS.map((_set, at) => `has${String(at)}`)].join(','),
      DEFAULT_SKILL: 'scripted',
      // Whoever has no key is refused more often than an address may be.
      RATE_FAILURE: '1000/1000',
      API_KEYS: [
        apiKeyEntry(CALLER, { tenant: 'acme', scopes: 'a2a:message.send,a2a:tasks.read,a2a:tasks.cancel' }),
        apiKeyEntry(OBSERVER, { tenant: 'acme', scopes: 'a2a:tasks.observe' }),
        apiKeyEntry(READER, { tenant: 'acme', scopes: 'a2a:tasks.observe,a2a:tasks.read' }),
        apiKeyEntry(APPROVER, { tenant: 'acme', scopes: 'a2a:approvals.answer' }),
        apiKeyEntry(RERUNNER, { tenant: 'acme', scopes: 'a2a:tasks.observe,a2a:tasks.read,a2a:message.send' }),
        apiKeyEntry(SECOND, { tenant: 'acme', scopes: 'a2a:approvals.answer' }),
        apiKeyEntry(OPERATOR, { tenant: 'acme', scopes: all }),
        apiKeyEntry(STRANGER, { tenant: 'other', scopes: all }),
        apiKeyEntry(PLATFORM, { tenant: 'other', scopes: 'a2a:platform.observe' }),
        apiKeyEntry(EVERYTHING, { tenant: 'other', scopes: ASKED.join(',') }),
        ...ASKED.map((scope) => {
          const scopes = ASKED.filter((one) => one !== scope).join(',');
          return apiKeyEntry(lacking(scope), { tenant: 'acme', scopes });
        }),
        ...SETS.map((scopes) => apiKeyEntry(having(scopes.split(',')), { tenant: 'acme', scopes })),
      ].join('\n'),
    };
    running = await runApp(variables, { skills: [...SCRIPTED.skills, ApprovingSkill, WritingSkill, BreakingSkill] });
    asks = await send('Pay it.', [artifact('draft', 'A draft.'), inputRequired('Which account?')]);
  });
  afterAll(async () => {
    await running.close();
    rmSync(folder, { recursive: true });
  });

  async function call(
    path: string,
    key: string | undefined,
    { body, headers }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
  ): Promise<{ readonly status: number; readonly body: any }> {
    const response = await fetch(`${running.url}/console/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(key === undefined ? {} : { 'x-api-key': key }), 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  async function send(text: string, script: readonly Step[], metadata: object = {}): Promise<Task> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], metadata: { script } };
    const response = await fetch(running.url, {
      method: 'POST',
      headers: { 'x-api-key': CALLER, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
        params: { message, metadata },
      }),
    });
    return ((await response.json()) as { result: { task: Task } }).result.task;
  }

  const audited = (): readonly Record<string, unknown>[] =>
    readFileSync(auditFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"action"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('lists the tasks of every client of the tenant, and none of another one', async () => {
    const { body } = await call('/tasks?state=TASK_STATE_INPUT_REQUIRED', OBSERVER);
    expect(body.tasks).toMatchObject([{ id: asks.id, client: 'caller', skill: 'scripted', contextId: asks.contextId }]);
    expect(body.states).toEqual({ TASK_STATE_INPUT_REQUIRED: 1 });
    expect((await call('/tasks', STRANGER)).body.tasks).toEqual([]);
    expect((await call('/tasks?client=nobody', OBSERVER)).body).toMatchObject({ tasks: [], states: {} });
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect((await call(`/tasks?since=${soon}`, OBSERVER)).body).toMatchObject({ tasks: [], states: {} });
    expect((await call(`/tasks?id=${asks.id.slice(0, 8)}`, OBSERVER)).body.tasks).toMatchObject([{ id: asks.id }]);
    expect((await call(`/tasks?id=${asks.id.slice(0, 8)}`, STRANGER)).body.tasks).toEqual([]);
    for (const id of ['abc', 'abcd*', '[a-f]bcd']) expect((await call(`/tasks?id=${id}`, OBSERVER)).status).toBe(400);
    expect((await call('/tasks?limit=201', OBSERVER)).status).toBe(400);
    expect((await call('/tasks?state=ANY', OBSERVER)).status).toBe(400);
  });

  it('shows an observer states, times and sizes, and not one word of content', async () => {
    const answers = await Promise.all(
      ['', '/events', '/tree', '/webhooks'].map((part) => call(`/tasks/${asks.id}${part}`, OBSERVER)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [task, events, tree] = answers.map(({ body }) => body);
    expect(task).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', turn: 1, events: 4, client: 'caller' });
    expect(task.runs).toMatchObject([{ turn: 1, attempt: 1, how: 'input-required' }]);
    expect(events.events.map(({ kind, state }: { kind: string; state?: string }) => [kind, state])).toEqual([
      ['task', 'TASK_STATE_SUBMITTED'],
      ['status', 'TASK_STATE_WORKING'],
      ['artifact', undefined],
      ['status', 'TASK_STATE_INPUT_REQUIRED'],
    ]);
    expect(tree).toMatchObject({ root: asks.id, total: 1, tasks: [{ id: asks.id, depth: 0 }] });
    expect(JSON.stringify(answers)).not.toMatch(/account|A draft/);
    for (const part of ['/content', '/raw']) {
      expect((await call(`/tasks/${asks.id}${part}`, OBSERVER)).status).toBe(403);
    }
  });

  it('shows content to who may read tasks too, and writes down who has read it', async () => {
    const { body } = await call(`/tasks/${asks.id}/content`, READER);
    expect(body.trimmed).toBe(false);
    expect(body.task.artifacts[0].parts).toEqual([{ text: 'A draft.' }]);
    const raw = await call(`/tasks/${asks.id}/raw?from=3&limit=1`, READER);
    expect(raw.body.events).toMatchObject([{ seq: 3, text: expect.stringContaining('A draft.') }]);
    expect(audited()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'task.read', client: 'reader', taskId: asks.id, result: 'done' }),
        expect.objectContaining({ action: 'task.read-events', client: 'reader', taskId: asks.id }),
      ]),
    );
  });

  it('keeps why each run of a failed task broke, for who may read tasks, and without secrets (C-1)', async () => {
    const begun = await send('go', [], { skillId: 'breaking' });
    const { id } = begun;
    await eventually(
      async () => {
        expect((await call(`/tasks/${id}`, READER)).body.state).toBe('TASK_STATE_FAILED');
      },
      { timeoutMs: 20_000 },
    );
    const { body } = await call(`/tasks/${id}`, READER);
    expect(body.reason).toMatch(/^The skill failed unexpectedly\. Reference: [0-9a-f-]{36}$/);
    const message = expect.stringMatching(/^connection \d refused by db, password=\[Redacted\]$/);
    const reference = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const fault = { type: 'TypeError', message, reference };
    expect(body.runs.length).toBeGreaterThan(1);
    for (const run of body.runs) expect(run.fault).toEqual(fault);
    expect(body.reason).toContain(body.runs.at(-1).fault.reference);
    expect(new Set(body.runs.map((run: { fault: { reference: string } }) => run.fault.reference)).size).toBe(
      body.runs.length,
    );
    const rowIn = async (key: string): Promise<unknown> =>
      (await call('/tasks?state=TASK_STATE_FAILED', key)).body.tasks.find((row: { id: string }) => row.id === id);
    const last = { reason: body.reason, fault: body.runs.at(-1).fault };
    expect(await rowIn(READER)).toMatchObject(last);
    expect((await call(`/tasks?id=${id.slice(0, 8)}`, READER)).body.tasks).toMatchObject([last]);
    expect((await call(`/tasks/${id}/tree`, READER)).body.tasks[0]).toMatchObject(last);
    expect((await call(`/tasks/${id}/events`, READER)).body.events.at(-1)).toMatchObject({ text: body.reason });
    const step = await call(`/tasks/${id}/steps/content?turn=1&name=count`, READER);
    expect(step.body.text).toContain('42');
    expect((await call(`/tasks/${id}/steps/content?turn=1&name=count`, OBSERVER)).status).toBe(403);

    // Who may only observe, and callers over A2A, get nothing of it.
    const observed = await Promise.all(['', '/tree', '/events'].map((part) => call(`/tasks/${id}${part}`, OBSERVER)));
    const stripped = await fetch(`${running.url}/console/api/tasks/${id}/bundle/stripped`, {
      headers: { 'x-api-key': OBSERVER },
    });
    const found = await call(`/tasks?id=${id.slice(0, 8)}`, OBSERVER);
    const said = JSON.stringify([observed, await rowIn(OBSERVER), found, await stripped.text()]);
    expect(said).not.toMatch(/refused|Reference|hunter22|TypeError/);
    const task = await fetch(`${running.url}/tasks/${id}`, { headers: { 'x-api-key': CALLER, 'a2a-version': '1.0' } });
    const shown = await task.text();
    expect(shown).toContain(body.reason);
    expect(shown).not.toMatch(/refused|hunter22|TypeError/);
  }, 30_000);

  it('cancels a task of another client for an operator, and says in the audit log why', async () => {
    const { id } = await send('wait', [inputRequired('Go on?')]);
    expect((await call(`/tasks/${id}/cancel`, READER, { body: {} })).status).toBe(403);
    expect((await call(`/tasks/${id}/cancel`, STRANGER, { body: {} })).status).toBe(404);
    const headers = { 'x-console-why': encodeURIComponent('the customer called: „stop“') };
    expect((await call(`/tasks/${id}/cancel`, OPERATOR, { body: {}, headers })).body).toEqual({
      id,
      outcome: 'canceled',
    });
    expect((await call(`/tasks/${id}/cancel`, OPERATOR, { body: {} })).status).toBe(400);
    expect(audited().filter(({ action }) => action === 'task.cancel')).toEqual([
      expect.objectContaining({ client: 'stranger', result: 'failed', code: 'TaskNotFound' }),
      expect.objectContaining({ client: 'operator', result: 'done', why: 'the customer called: „stop“' }),
      expect.objectContaining({ client: 'operator', result: 'failed', code: 'TaskNotCancelable' }),
    ]);
  });

  it('cancels several tasks by their ids, and tells of each how that came out', async () => {
    const { id } = await send('wait', [inputRequired('Go on?')]);
    const unknown = randomUUID();
    expect((await call('/tasks/cancel', OPERATOR, { body: { ids: [id, unknown, id] } })).body.tasks).toEqual([
      { id, outcome: 'canceled' },
      { id: unknown, outcome: 'not-found' },
    ]);
    expect((await call('/tasks/cancel', STRANGER, { body: { ids: [asks.id] } })).body.tasks).toEqual([
      { id: asks.id, outcome: 'not-found' },
    ]);
    expect((await call('/tasks/cancel', OPERATOR, { body: { ids: [] } })).status).toBe(400);
  });

  it('lets two approvers answer a question of a task that is not theirs, and its caller not', async () => {
    const { id } = await send('two', [], { skillId: 'approving' });
    const { body } = await call('/approvals', APPROVER);
    const question = body.questions.find(({ taskId }: { taskId: string }) => taskId === id);
    expect(question).toMatchObject({ skill: 'approving', client: 'caller', text: 'Pay 12,000?', needed: 2, votes: [] });
    expect((await call('/approvals', STRANGER)).body.questions).toEqual([]);
    expect((await call('/approvals', OBSERVER)).status).toBe(403);
    const give = (key: string, data: unknown, questionId = question.id) =>
      call(`/tasks/${id}/answer`, key, { body: { questionId, data } });
    expect((await give(STRANGER, { approved: true })).status).toBe(404);
    const misfit = await give(APPROVER, { approved: 'perhaps' });
    expect([misfit.status, misfit.body.error.message]).toEqual([400, expect.stringContaining('must be boolean')]);
    expect((await give(APPROVER, { approved: true })).body).toEqual({ outcome: 'recorded' });
    expect((await give(APPROVER, { approved: true })).status).toBe(403);
    expect((await call('/approvals', APPROVER)).body.questions).toContainEqual(
      expect.objectContaining({
        taskId: id,
        refused: 'voted',
        votes: [expect.objectContaining({ by: { client: 'approver' } })],
      }),
    );
    expect((await give(SECOND, { approved: true })).body).toEqual({ outcome: 'answered' });
    await eventually(async () => {
      const { task } = (await call(`/tasks/${id}/content`, READER)).body;
      expect(task.status.message.parts).toEqual([{ text: '{"approved":true} by second' }]);
    });
    const late = await give(OPERATOR, { approved: false });
    expect([late.status, late.body.error.message]).toEqual([409, 'The question was answered already by second']);
    expect(late.body.error.details).toContainEqual(
      expect.objectContaining({
        metadata: expect.objectContaining({ decidedBy: 'approver, second', decision: '{"approved":true}' }),
      }),
    );
    const lines = audited().filter(({ action, taskId }) => action === 'question.answer' && taskId === id);
    expect(lines.filter(({ result }) => result === 'done').map(({ client }) => client)).toEqual(['approver', 'second']);
  });

  it('begins a task again for a caller that may, as its own task, with another text', async () => {
    const { id } = await send('one', [], { skillId: 'approving' });
    const again = await call(`/tasks/${id}/rerun`, RERUNNER, { body: { text: 'two' } });
    const { taskId } = again.body as { taskId: string };
    const { task } = (await call(`/tasks/${taskId}/content`, READER)).body;
    expect(task).toMatchObject({
      metadata: { 'urn:parley:rerun-of': id, skillId: 'approving' },
      history: [{ parts: [{ text: 'two' }] }],
    });
    expect((await call(`/tasks/${taskId}`, OBSERVER)).body).toMatchObject({ client: 'rerunner', skill: 'approving' });
    expect((await call(`/tasks/${id}/rerun`, READER, { body: {} })).status).toBe(403);
    expect((await call(`/tasks/${id}/rerun`, STRANGER, { body: {} })).status).toBe(403);
  });

  it('begins a task again from one of its steps: results before it are taken over, also by the run after a question', async () => {
    const answered = async (id: string, text: string): Promise<string> => {
      const open = await eventually(async () => {
        const { questions } = (await call('/approvals', APPROVER)).body as {
          questions: { id: string; taskId: string }[];
        };
        const found = questions.find(({ taskId }) => taskId === id);
        if (found === undefined) throw new Error('It has not asked');
        return found;
      });
      expect((await call(`/tasks/${id}/answer`, APPROVER, { body: { questionId: open.id, text } })).status).toBe(200);
      return eventually(async () => {
        const { task } = (await call(`/tasks/${id}/content`, READER)).body as { task: Task };
        expect(task.status.state).toBe('TASK_STATE_COMPLETED');
        return task.status.message?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
      });
    };
    const { id } = await send('go', [], { skillId: 'writing' });
    expect(await answered(id, 'yes')).toBe('plan no. 1, yes, write no. 2');
    const again = await call(`/tasks/${id}/rerun`, RERUNNER, { body: { step: 'write' } });
    expect(again.body).toMatchObject({ taken: [{ turn: 1, name: 'plan' }], live: [{ turn: 1, name: 'write' }] });
    const { taskId } = again.body as { taskId: string };
    expect(await answered(taskId, 'rather not')).toBe('plan no. 1, rather not, write no. 3');
    expect((await call(`/tasks/${taskId}`, OBSERVER)).body).toMatchObject({
      rerunOf: id,
      steps: [{ name: 'plan', of: id, ms: 0 }, { name: 'write' }],
    });
    const wrong = await call(`/tasks/${id}/rerun`, RERUNNER, { body: { step: 'write', turn: 2 } });
    expect(wrong.status).toBe(400);
    expect(JSON.stringify(wrong.body)).toContain('"field":"step"');
  });

  it('writes a bundle of a task, which its skill repeats without a service, and one without content', async () => {
    const { body } = await call('/tasks?skill=approving&state=TASK_STATE_COMPLETED', OBSERVER);
    const [{ id }] = body.tasks as [{ id: string }];
    const get = async (what: string, key: string): Promise<string> => {
      const path = `${running.url}/console/api/tasks/${id}/bundle/${what}?children=true`;
      return (await fetch(path, { headers: { 'x-api-key': key } })).text();
    };
    const whole = readBundle(await get('content', READER));
    expect((await replayBundle(whole, ApprovingSkill)).difference).toBeUndefined();
    expect((await replayBundle(whole, HastySkill)).difference).toMatchObject({
      at: 0,
      now: { what: 'TASK_STATE_COMPLETED', value: [{ text: 'nobody was asked' }] },
    });
    const shape = await get('stripped', OBSERVER);
    expect(readBundle(shape).tasks.size).toBe(1);
    expect(shape).not.toMatch(/12,000|Pay /);
    expect((await call(`/tasks/${id}/bundle/content`, OBSERVER)).status).toBe(403);
    expect((await call(`/tasks/${id}/bundle/stripped`, STRANGER)).status).toBe(404);
    expect(audited()).toContainEqual(expect.objectContaining({ action: 'task.bundle', client: 'reader', taskId: id }));
  });

  it('takes one answer to the question with which a task has ended its turn, and none to the next question', async () => {
    const { id } = await send('go', [inputRequired('Which account?')]);
    const give = (key: string, questionId: string) =>
      call(`/tasks/${id}/answer`, key, { body: { questionId, text: 'the first' } });
    const answers = await Promise.all([give(APPROVER, `${id}:1`), give(SECOND, `${id}:1`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers[0].status === 200 ? 'approver' : 'second';
    expect(answers.find(({ status }) => status === 409)?.body.error.message).toBe(
      `The question was answered already by ${winner}`,
    );
    expect((await give(OPERATOR, `${id}:2`)).status).toBe(409);
  });

  it('shows the platform only to clients that the operator has named, whatever their scopes', async () => {
    expect((await call('/platform/queue', OPERATOR)).status).toBe(403);
    expect((await call('/platform/queue', OBSERVER)).status).toBe(403);
    const [queue, workers, health] = await Promise.all(
      ['queue', 'workers', 'health'].map((name) => call(`/platform/${name}`, PLATFORM)),
    );
    expect(queue?.body.counts).toMatchObject({ waiting: 0, parked: 2 });
    expect(workers?.body.processes).toMatchObject([{ role: 'all', version: '0.0.0-test', runs: [] }]);
    const checks = health?.body.checks as readonly { readonly name: string; readonly level: string }[];
    // The Redis of the tests has no maxmemory.
    expect(checks.filter(({ level }) => level !== 'ok')).toMatchObject([{ name: 'redis memory', level: 'warn' }]);
    expect(health?.body.redis).toMatchObject([{ version: expect.any(String), usedBytes: expect.any(Number) }]);
  });

  it('says who calls, what they may do and which scope they lack', async () => {
    const { body } = await call('/me', READER);
    expect(body).toMatchObject({ tenant: 'acme', client: 'reader', method: 'api-key', isOfPlatform: false });
    const has = Object.fromEntries(body.scopes.map(({ name, has: it }: { name: string; has: boolean }) => [name, it]));
    expect(has).toMatchObject({ 'a2a:tasks.observe': true, 'a2a:tasks.operate': false });
  });

  it('refuses strangers, and pages of other sites', async () => {
    expect((await call('/tasks', undefined)).status).toBe(401);
    expect((await call('/me', 'nobody.knows')).status).toBe(401);
    for (const site of ['cross-site', 'same-site']) {
      expect((await call('/tasks', OBSERVER, { headers: { 'sec-fetch-site': site } })).status).toBe(403);
    }
    expect((await call('/tasks', OBSERVER, { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
  });

  it.each(CONSOLE_ROUTES)(
    '$name refuses whoever lacks a credential, one of its scopes, or the tenant of the task',
    async ({ path, method, scopes }) => {
      const isRead = method === RequestMethod.GET;
      const ask = async (key: string | undefined, { id = asks.id, site = 'same-origin' } = {}): Promise<number> => {
        const response = await fetch(running.url + path.replace(':id', id), {
          method: isRead ? 'GET' : 'POST',
          headers: { ...(key && { 'x-api-key': key }), 'content-type': 'application/json', 'sec-fetch-site': site },
          ...(isRead ? {} : { body: '{}' }),
        });
        await response.body?.cancel();
        return response.status;
      };
      expect(await ask(undefined)).toBe(401);
      expect(await ask('nobody.knows')).toBe(401);
      for (const scope of scopes) expect([scope, await ask(lacking(scope))]).toEqual([scope, 403]);
      // Exactly its scopes suffice; a change is asked for a task that there is not.
      const key = scopes.length === 0 ? OBSERVER : having(scopes);
      expect([401, 403]).not.toContain(await ask(key, isRead ? {} : { id: randomUUID() }));
      expect(await ask(key, { site: 'cross-site' })).toBe(403);
      const isOfPlatform = scopes.includes('a2a:platform.observe');
      if (isOfPlatform) expect(await ask(EVERYTHING)).toBe(403);
      if (path.includes(':id')) expect([400, 404]).toContain(await ask(EVERYTHING));
      if (path.includes(':id') && isRead) expect(await ask(EVERYTHING)).toBe(404);
    },
  );

  it('redrives only as many dead letters as its caller has seen', async () => {
    expect((await call('/dead-letters', OPERATOR)).body).toMatchObject({ count: 0, deadLetters: [], receivers: [] });
    const wrong = await call('/dead-letters/redrive', OPERATOR, { body: { expected: 5 } });
    expect([wrong.status, wrong.body.error.message]).toEqual([400, 'There are 0 dead letters now, not 5']);
    expect((await call('/dead-letters', OBSERVER)).status).toBe(403);
  });

  it('feeds changes to open consoles: the row, the numbers, and each event of the opened task', async () => {
    const end = new AbortController();
    const frames: FeedFrame[] = [];
    const query = `/feed?skill=scripted&task=${asks.id}`;
    const reading = read(query, OBSERVER, end.signal, (frame) => frames.push(frame));
    await eventually(() => {
      expect(frames.length).toBeGreaterThan(0);
    });
    const { TASK_STATE_COMPLETED: before }: { TASK_STATE_COMPLETED: number } = (await call('/tasks', OBSERVER)).body
      .states;
    const begun = await send('go', [completed('Done.')]);
    await eventually(() => {
      const rows = frames.flatMap(({ tasks = [] }) => tasks);
      expect(rows).toContainEqual(expect.objectContaining({ id: begun.id, state: 'TASK_STATE_COMPLETED' }));
      const states = frames.findLast((frame) => frame.states !== undefined)?.states;
      expect(states).toMatchObject({ TASK_STATE_COMPLETED: before + 1 });
    });
    await call(`/tasks/${asks.id}/cancel`, OPERATOR, { body: {} });
    await eventually(() => {
      const opened = frames.flatMap(({ opened: it }) => it ?? []);
      expect(opened).toContainEqual({ seq: 5, state: 'TASK_STATE_CANCELED' });
    });
    expect(JSON.stringify(frames)).not.toContain('account');
    end.abort();
    await reading;
    expect((await call(`/feed?task=${asks.id}`, STRANGER)).status).toBe(404);
  });

  it('asks open consoles to come back when the process leaves', async () => {
    const replica = await runApp({ ...variables, KEY_PREFIX: running.keyPrefix }, SCRIPTED);
    const response = await fetch(`${replica.url}/console/api/feed`, { headers: { 'x-api-key': OBSERVER } });
    await replica.close();
    expect(await response.text()).toMatch(/^retry: \d+\n: going away\n\n$/m);
  });

  async function read(
    path: string,
    key: string,
    signal: AbortSignal,
    onFrame: (frame: FeedFrame) => void,
  ): Promise<void> {
    const response = await fetch(`${running.url}/console/api${path}`, { headers: { 'x-api-key': key }, signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    try {
      for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        for (const [, data = ''] of piece.matchAll(/^data: (.*)$/gm)) onFrame(JSON.parse(data) as FeedFrame);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
});

describe('the console', () => {
  it('is off by itself where other machines can call and nobody can log in, and says so as any unknown path', async () => {
    const running = await runApp({ CONSOLE: 'off' });
    try {
      for (const path of ['/console', '/console/tasks', '/console/api/tasks']) {
        expect((await fetch(running.url + path)).status).toBe(404);
      }
    } finally {
      await running.close();
    }
  });
});
