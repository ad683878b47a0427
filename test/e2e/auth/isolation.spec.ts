import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { CommandRedis } from '../../../src/platform/redis/connection/connections.js';
import { TreeInspector } from '../../../src/tasks/lists/tree-inspector.js';
import { SweepStore } from '../../../src/tasks/store/sweep.store.js';
import { type Caller, aCaller, nineCallers, tenantVariables } from '../../kit/auth/tenants.js';
import { TestIssuer } from '../../kit/auth/test-issuer.js';
import { EVERY_WAY, type Subject, type Way, WAYS_V1 } from '../../kit/callers/every-way.js';
import { type WireAnswer, WireClient } from '../../kit/callers/wire-client.js';
import { anInvoice, field } from '../../kit/invoice/an-invoice.js';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { RedisMonitor } from '../../kit/redis/redis-monitor.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

jest.setTimeout(60_000);

/** A task of a caller that waits for an answer, with a webhook, and one that is done. */
interface Property {
  readonly caller: Caller;
  readonly open: Subject;
  /** The open task as its owner sees it. */
  readonly seen: unknown;
  readonly done: Subject;
}

/** What a call says of its subject; without one, calls say nothing that could be compared. */
const ABOUT_A_TASK: readonly OperationName[] = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
];

let issuer: TestIssuer;
let running: RunningApp;
let client: WireClient;
let properties: readonly Property[];
/** All tasks of trees of other callers. */
let foreignTasks: readonly string[];
/** Trees whose every task is tried, of as many callers in three tenants. */
const TENANTS = ['acme', 'beta', 'gamma'];
const TREES = Number(process.env.PARLEY_FOREIGN_TREES ?? 1);

function rest(caller: Caller): RestClient {
  return new RestClient(running.url, { 'a2a-version': '1.0', ...caller.headers });
}

async function begun(caller: Caller, skillId: string, part: object): Promise<Subject> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [part], metadata: { skillId } };
  const { body, status } = await rest(caller).call('POST', '/message:send', { message });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { taskId: body.task.id, contextId: body.task.contextId, configId: 'hook', messageId: message.messageId };
}

async function propertyOf(caller: Caller): Promise<Property> {
  const invoice = anInvoice({ totals: { ...anInvoice().totals, payable: field('23800.00') } });
  const open = await begun(caller, 'approve_payment', { data: invoice });
  const hook = { id: open.configId, url: 'https://1.1.1.1/hook', token: 'secret' };
  await rest(caller).call('POST', `/tasks/${open.taskId}/pushNotificationConfigs`, hook);
  const { body: seen } = await rest(caller).call('GET', `/tasks/${open.taskId}`);
  return { caller, open, seen, done: await begun(caller, 'echo', { text: 'mine' }) };
}

/** The ids of a tree of the caller: a briefing and the skills that it calls. */
async function treeOf(caller: Caller): Promise<readonly string[]> {
  const { taskId } = await begun(caller, 'briefing', { data: { texts: ['One text.', 'Another one.'] } });
  const ids = (await running.app.get(TreeInspector).of(taskId))?.nodes.map(({ id }) => id) ?? [];
  expect(ids.length).toBeGreaterThan(2);
  return ids;
}

/** Every call of a way about a subject that has no context but what it is given. */
async function answers(way: Way, subject: Subject, caller: Caller): Promise<Readonly<Record<string, WireAnswer>>> {
  const asked = ABOUT_A_TASK.flatMap((operation) => {
    const call = way.calls[operation]?.(subject);
    return call === undefined ? [] : [{ operation, call }];
  });
  const given = asked.map(async ({ operation, call }) => [operation, await client.call(call, caller.headers)] as const);
  return Object.fromEntries(await Promise.all(given));
}

const unknown = (): Subject => ({ taskId: randomUUID(), configId: 'hook', messageId: randomUUID() });

/** An id of the same form, in the same part of the store. */
const neighbour = ({ taskId }: Subject): Subject => ({
  ...unknown(),
  taskId: taskId.slice(0, 2) + randomUUID().slice(2),
});

describe('isolation', () => {
  beforeAll(async () => {
    issuer = await TestIssuer.start();
    running = await runApp(tenantVariables(issuer));
    client = new WireClient(running.url, running.grpc ?? '');
    properties = await Promise.all(nineCallers(issuer).map(propertyOf));
    const owners = Array.from({ length: TREES }, (_, at) =>
      aCaller(issuer, TENANTS[at % 3] ?? '', `tree-${String(at)}`),
    );
    foreignTasks = (await Promise.all(owners.map(treeOf))).flat();
  });

  afterAll(async () => {
    client.close();
    await issuer.stop();
    await running.close();
  });

  describe('what belongs to others', () => {
    it.each(EVERY_WAY)('looks on $name like what never was, to the byte (A2A-ERR-04, A2A-AUTHZ-01)', async (way) => {
      const [mine] = properties;
      if (mine === undefined) throw new Error('There are no callers');
      const never = await answers(way, unknown(), mine.caller);
      expect(Object.keys(never).length).toBeGreaterThan(4);
      for (const answer of Object.values(never)) expect(answer.body).toContain('Task not found');
      for (const { open, done, caller } of properties) {
        if (caller === mine.caller) continue;
        for (const { contextId: _contextId, ...foreign } of [open, done]) {
          expect(await answers(way, foreign, mine.caller)).toEqual(never);
        }
      }
      expect(await answers(way, neighbour(mine.open), mine.caller)).toEqual(never);
      expect(await answers(way, { ...unknown(), taskId: 'no-uuid' }, mine.caller)).toEqual(never);
    });

    it.each(EVERY_WAY)('looks so in every task of a tree, on $name (O-15, F17)', async (way) => {
      const [mine] = properties;
      if (mine === undefined) throw new Error('There are no callers');
      const never = await answers(way, unknown(), mine.caller);
      for (const taskId of foreignTasks) {
        expect(await answers(way, { ...unknown(), taskId }, mine.caller)).toEqual(never);
      }
    });

    it('has not changed by what strangers tried', async () => {
      for (const { caller, open, seen } of properties) {
        const { body } = await rest(caller).call('GET', `/tasks/${open.taskId}`);
        expect(body.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
        expect(body).toEqual(seen);
        const { body: hooks } = await rest(caller).call('GET', `/tasks/${open.taskId}/pushNotificationConfigs`);
        expect(hooks.configs.map(({ id }: { id: string }) => id)).toEqual(['hook']);
      }
    });

    it('is in nobody else’s list, by whatever filter (A2A-LIST-01)', async () => {
      const lists = properties.map(async ({ caller, open, done }) => {
        const { body } = await rest(caller).call('GET', '/tasks');
        expect(body.tasks.map(({ id }: { id: string }) => id).sort()).toEqual([open.taskId, done.taskId].sort());
        expect(body.totalSize).toBe(2);
      });
      await Promise.all(lists);
      const [mine, other] = properties;
      if (mine === undefined || other === undefined) throw new Error('There are no callers');
      for (const contextId of [other.open.contextId, randomUUID()]) {
        const { body } = await rest(mine.caller).call('GET', `/tasks?contextId=${String(contextId)}`);
        expect(body).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
      }
    });

    it('is not opened by a cursor or an event id of its owner (A2A-TEN-04)', async () => {
      const [mine, other] = properties;
      if (mine === undefined || other === undefined) throw new Error('There are no callers');
      const { body } = await rest(other.caller).call('GET', '/tasks?pageSize=1');
      expect(body.nextPageToken).not.toBe('');
      const stolen = await rest(mine.caller).call('GET', `/tasks?pageSize=1&pageToken=${String(body.nextPageToken)}`);
      const madeUp = await rest(mine.caller).call('GET', '/tasks?pageSize=1&pageToken=bWFkZSB1cA');
      expect([stolen.status, stolen.body]).toEqual([400, madeUp.body]);

      const resume = (taskId: string): Promise<unknown> =>
        rest(mine.caller).call('GET', `/tasks/${taskId}:subscribe`, undefined, { 'last-event-id': '1-abc' });
      const [foreign, never] = [await resume(other.open.taskId), await resume(randomUUID())];
      expect(foreign).toMatchObject({ status: 404 });
      expect((foreign as { body: unknown }).body).toEqual((never as { body: unknown }).body);
    });

    it('does not take a context with it: the same context id of two callers is two contexts', async () => {
      const [mine, other] = properties;
      if (mine === undefined || other === undefined) throw new Error('There are no callers');
      const { contextId } = other.open;
      const message = { messageId: randomUUID(), role: 'ROLE_USER', contextId, parts: [{ text: 'x' }] };
      const { body } = await rest(mine.caller).call('POST', '/message:send', { message });
      expect(body.task.contextId).toBe(contextId);
      const { body: listed } = await rest(other.caller).call('GET', `/tasks?contextId=${String(contextId)}`);
      expect(listed.totalSize).toBe(1);
    });

    it('is not reached by naming another tenant, in path or params, and no tenant is told apart (A2A-TEN-02, -03)', async () => {
      const [mine] = properties;
      if (mine === undefined) throw new Error('There are no callers');
      for (const way of WAYS_V1) {
        const own = await answers(way, { ...mine.open, ...unknown(), tenant: 'acme' }, mine.caller);
        for (const answer of Object.values(own)) expect(answer.body).toContain('Task not found');
        const [beta, never] = await Promise.all(
          ['beta', 'nowhere'].map((tenant) => {
            return answers(way, { taskId: mine.open.taskId, configId: 'hook', messageId: 'm', tenant }, mine.caller);
          }),
        );
        expect(beta).toEqual(never);
        for (const { status } of Object.values(beta ?? {}))
          expect(['INVALID_ARGUMENT', 200, 400, 404]).toContain(status);
        for (const { body } of Object.values(beta ?? {})) expect(body).not.toContain(mine.open.taskId);
      }
    });

    it('costs the store the same commands as what never was, so that the clock tells no more than the answer', async () => {
      const [mine, other] = properties;
      if (mine === undefined || other === undefined) throw new Error('There are no callers');
      const seen: (readonly string[])[] = [];
      const monitor = await RedisMonitor.start(testRedisUrl(), (args) => seen.push(args));
      const commandsAbout = async (way: Way, { taskId }: Subject): Promise<readonly string[]> => {
        seen.length = 0;
        // One after the other: subscriptions of calls that overlap are shared.
        for (const operation of ABOUT_A_TASK) {
          const call = way.calls[operation]?.({ ...unknown(), taskId });
          if (call !== undefined) await client.call(call, mine.caller.headers);
        }
        const end = randomUUID();
        await running.app.get(CommandRedis).echo(end);
        await eventually(() => {
          expect(seen.some((args) => args.includes(end))).toBe(true);
        });
        return seen
          .filter((args) => args.some((arg) => arg.includes(taskId)))
          .map(([name = '']) => name.toLowerCase())
          .sort();
      };
      try {
        for (const way of WAYS_V1) {
          // A sweep may pass between; a difference between the two stays.
          await eventually(async () => {
            const foreign = await commandsAbout(way, other.open);
            expect(foreign.length).toBeGreaterThan(5);
            expect(foreign).toEqual(await commandsAbout(way, neighbour(other.open)));
          });
        }
      } finally {
        monitor.stop();
      }
    });

    it('is purged for good: what was deleted looks like what never was (A2A-CANC-04, A2A-SEC-08)', async () => {
      const caller = aCaller(issuer, 'acme', 'purged');
      const { done } = await propertyOf(caller);
      await running.app.get(SweepStore).purge(done.taskId, 'whatever');
      for (const way of EVERY_WAY) {
        const { contextId: _contextId, ...gone } = done;
        expect(await answers(way, gone, caller)).toEqual(await answers(way, unknown(), caller));
      }
    });
  });

  describe('who shares (OWNERSHIP)', () => {
    it.each([
      ['client', true, false],
      ['client-and-user', false, false],
      ['tenant', true, true],
    ])('%s: another user of the client %s, another client of the tenant %s', async (OWNERSHIP, user, colleague) => {
      const other = await runApp({ ...tenantVariables(issuer), OWNERSHIP });
      try {
        const sees = async (caller: Caller, taskId: string): Promise<boolean> => {
          const reader = new RestClient(other.url, { 'a2a-version': '1.0', ...caller.headers });
          return (await reader.call('GET', `/tasks/${taskId}`)).status === 200;
        };
        const ann = aCaller(issuer, 'acme', 'a', 'ann');
        const sender = new RestClient(other.url, { 'a2a-version': '1.0', ...ann.headers });
        const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'x' }] };
        const { body } = await sender.call('POST', '/message:send', { message });
        expect(await sees(ann, body.task.id)).toBe(true);
        expect(await sees(aCaller(issuer, 'acme', 'a', 'bob'), body.task.id)).toBe(user);
        expect(await sees(aCaller(issuer, 'acme', 'b', 'ann'), body.task.id)).toBe(colleague);
        expect(await sees(aCaller(issuer, 'beta', 'a', 'ann'), body.task.id)).toBe(false);
      } finally {
        await other.close();
      }
    });
  });
});
