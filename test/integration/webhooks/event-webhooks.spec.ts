import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import type { CloudEvent } from '@parley/protocol/extension/cloud-event.js';
import { EventSubscriptions } from '../../../src/webhooks/config/event-subscriptions.js';
import { derivedKey } from '../../../src/webhooks/signing/secret-ring.js';
import { completed } from '@parley/sdk/skill/events.js';
import { MAX_EVENT_WEBHOOKS } from '../../../src/tasks/publications/event-webhooks.store.js';
import type { NewTask } from '../../../src/tasks/record/new-task.js';
import { eventually } from '../../kit/run/eventually.js';
import { MortalRedis } from '../../kit/redis/mortal-redis.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { OWNER, TaskStores } from '../../kit/tasks/task-stores.js';
import { TreeBench } from '../../kit/tasks/tree-bench.js';
import { fanOutOf } from '../../kit/tasks/turn-sources.js';
import { PushBench } from './push-bench.js';
import { answer, Receiver } from './receiver.js';

Logger.overrideLogger(false);

const CALLER = { tenant: 'default', client: 'tests', owner: OWNER };
const OPERATOR = { tenant: 'default', client: 'ops' };
const OTHER = 'default/client:other';

/** A task that publishes two events, which nobody has handed on yet. */
async function publish(stores: TaskStores, changes: Partial<NewTask> = {}): Promise<string> {
  const bench = new TreeBench(stores, {
    approve: async function* (context) {
      context.publish('invoice.approved', { id: 'i1' }, { subject: 'i1' });
      context.publish('payment.planned');
      yield completed('approved');
    },
  });
  const id = await bench.root('approve', changes);
  await bench.run(id);
  return id;
}

function anEvent(id: string, data = ''): CloudEvent {
  const rest = { source: '/tasks/t', type: 'x', time: '2026-01-31T08:00:00Z' } as const;
  return { specversion: '1.0', id, ...rest, datacontenttype: 'application/json', data };
}

describe('webhooks of published events (O-53)', () => {
  let receiver: Receiver;
  let bench: PushBench;
  let stores: TaskStores;
  let subscriptions: EventSubscriptions;

  beforeEach(async () => {
    receiver = await new Receiver().listen();
    bench = await PushBench.start({ receivers: [receiver] });
    stores = TaskStores.connect(testRedisUrl(), { keyPrefix: bench.keyPrefix });
    subscriptions = bench.get(EventSubscriptions);
  });
  afterEach(async () => {
    stores.redis.disconnect();
    await bench.close();
    await receiver.close();
  });

  const types = (): readonly string[] => receiver.received.map(({ body }) => (JSON.parse(body) as CloudEvent).type);

  it('get the events of their types as signed CloudEvents, in order', async () => {
    await subscriptions.create({ url: receiver.url, types: ['invoice.*', 'payment.planned'] }, CALLER);
    const task = await publish(stores);
    await fanOutOf(stores).sweep(10);
    await eventually(() => expect(types()).toEqual(['invoice.approved', 'payment.planned']));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    expect(headers['content-type']).toBe('application/cloudevents+json');
    expect(headers).not.toHaveProperty('x-a2a-task-id');
    const { secret } = derivedKey({ id: 'm1', secret: 'master' }, 'default', 'tests');
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({
      ...{ specversion: '1.0', id: `${task}:1.1`, source: `/tasks/${task}`, type: 'invoice.approved', subject: 'i1' },
      ...{ time: expect.any(String), datacontenttype: 'application/json', data: { id: 'i1' } },
    });
  });

  it('get no events of other owners and other types; those of an operator get all of the tenant, and of no other', async () => {
    const second = await new Receiver().listen();
    const both = await PushBench.start({ receivers: [receiver, second], keyPrefix: bench.keyPrefix });
    const own = both.get(EventSubscriptions);
    await own.create({ url: receiver.url, types: ['invoice.*'] }, CALLER);
    await own.create({ url: second.url, types: ['*'] }, OPERATOR);
    await bench.close();
    const tasks = [
      await publish(stores),
      await publish(stores, { owner: OTHER, client: 'other' }),
      await publish(stores, { owner: 'acme/client:tests', tenant: 'acme' }),
    ];
    await fanOutOf(stores).sweep(10);
    await eventually(() => {
      const sources = second.received.map(({ body }) => (JSON.parse(body) as CloudEvent).source);
      expect(sources.sort()).toEqual([0, 0, 1, 1].map((at) => `/tasks/${tasks[at] ?? ''}`).sort());
    });
    expect(types()).toEqual(['invoice.approved']);
    expect(await own.list(CALLER)).toMatchObject([{ of: 'caller', types: ['invoice.*'], isStopped: false }]);
    expect(await own.list(OPERATOR)).toHaveLength(2);
    await both.close();
    await second.close();
    bench = await PushBench.start({ receivers: [receiver], keyPrefix: both.keyPrefix });
  });

  it('are not sent events of simulated tasks: these never leave the service (O-80)', async () => {
    const { id } = await subscriptions.create({ url: receiver.url, types: ['*'] }, CALLER);
    await publish(stores, { isSimulated: true });
    await fanOutOf(stores).sweep(10);
    expect(await stores.published.waiting()).toBe(0);
    expect(await stores.webhooks.state(id)).toEqual({ outstanding: 0, isStopped: false });
  });

  it('get what was published before every process died, once', async () => {
    await bench.close();
    for (const when of ['before', 'after'] as const) {
      for (let at = 1, hasDied = true; hasDied; at += 1) {
        const fresh = new TaskStores(stores.redis, { keyPrefix: `test-${randomUUID()}` });
        const id = fresh.webhooks.newId('default');
        await fresh.webhooks.add('default', { id, types: ['*'], origin: receiver.url }, '{}');
        await publish(fresh);
        const mortal = new MortalRedis(fresh.redis, { at, when });
        const sweep = fanOutOf(new TaskStores(mortal.redis, fresh.options)).sweep(10);
        await Promise.race([sweep.catch(() => 0), mortal.died]);
        ({ hasDied } = mortal);
        await fanOutOf(fresh).sweep(10);
        const log = await fresh.redis.hmget(fresh.keys.task(id), 'e1', 'e2', 'e3');
        expect(log.map((text) => /"type":"([^"]*)"/.exec(text ?? '')?.[1])).toEqual([
          ...['invoice.approved', 'payment.planned', undefined],
        ]);
        expect(await fresh.published.waiting()).toBe(0);
      }
    }
    const dying = await PushBench.start({ receivers: [receiver], keyPrefix: bench.keyPrefix, isDispatching: false });
    await dying.get(EventSubscriptions).create({ url: receiver.url, types: ['*'] }, CALLER);
    await publish(stores);
    await fanOutOf(stores).sweep(10);
    await dying.close();
    bench = await PushBench.start({ receivers: [receiver], keyPrefix: dying.keyPrefix });
    await eventually(() => expect(types()).toEqual(['invoice.approved', 'payment.planned']));
  });

  it('are retried, stopped and begun again as every webhook is', async () => {
    const { id } = await subscriptions.create({ url: receiver.url, types: ['invoice.approved'] }, CALLER);
    receiver.behave = answer(503);
    await publish(stores);
    await fanOutOf(stores).sweep(10);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    receiver.behave = answer(410);
    await eventually(async () => {
      await bench.aheadToNext();
      expect(await bench.deadLetters.count()).toBe(1);
    });
    expect(await stores.webhooks.state(id)).toEqual({ outstanding: 1, isStopped: true });
    receiver.behave = answer(200);
    expect(await bench.deadLetters.redrive({ taskId: id }, 10)).toEqual({ revived: 1, gone: 0 });
    await eventually(async () => expect(await stores.webhooks.state(id)).toEqual({ outstanding: 0, isStopped: false }));
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('have bounds: so many of a tenant, and so many outstanding events, of which delivered ones make room (I10)', async () => {
    const { webhooks } = stores;
    const all = Array.from({ length: MAX_EVENT_WEBHOOKS }, () => webhooks.newId('acme'));
    const added = all.map((id) => webhooks.add('acme', { id, types: ['*'], origin: 'https://x.example' }, '{}'));
    expect(await Promise.all(added)).not.toContain(false);
    const one = webhooks.newId('acme');
    expect(await webhooks.add('acme', { id: one, types: ['*'], origin: 'https://x.example' }, '{}')).toBe(false);
    const [id = '', other = ''] = all;
    const outcomes = Array.from({ length: 1_001 }, (_none, at) => webhooks.announce(id, anEvent(String(at))));
    expect((await Promise.all(outcomes)).map((outcome, at) => (at < 1_000 ? outcome === 'ok' : outcome))).toEqual([
      ...Array.from({ length: 1_000 }, () => true),
      'full',
    ]);
    expect(await webhooks.announce(id, anEvent('7'))).toBe('known');
    await stores.redis.hset(stores.keys.push(id), 'next:events', 3);
    expect(await webhooks.announce(id, anEvent('late'))).toBe('ok');
    expect(await webhooks.announce(id, anEvent('later'))).toBe('ok');
    expect(await webhooks.announce(id, anEvent('latest'))).toBe('full');
    const large = Array.from({ length: 65 }, (_none, at) =>
      webhooks.announce(other, anEvent(String(at), 'x'.repeat(65_000))),
    );
    expect((await Promise.all(large)).filter((outcome) => outcome === 'full')).toHaveLength(1);
  });

  it('leave nothing behind when they are removed, by those alone that may see them', async () => {
    const { id } = await subscriptions.create({ url: receiver.url, types: ['*'] }, CALLER);
    await stores.webhooks.announce(id, anEvent('1'));
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await subscriptions.remove({ ...CALLER, owner: OTHER }, id);
    expect(await subscriptions.list(CALLER)).toHaveLength(1);
    await eventually(async () => expect(await stores.webhooks.state(id)).toMatchObject({ outstanding: 0 }));
    await subscriptions.remove(CALLER, id);
    expect(await subscriptions.list(OPERATOR)).toEqual([]);
    expect(await stores.webhooks.announce(id, anEvent('2'))).toBe('gone');
    expect(await stores.redis.keys(`*${id}*`)).toEqual([]);
  });

  it('are refused where a webhook of a task would be', async () => {
    const refused = subscriptions.create({ url: 'https://169.254.169.254/', types: ['*'] }, CALLER);
    await expect(refused).rejects.toMatchObject({ kind: 'InvalidParams' });
    expect(await subscriptions.list(CALLER)).toEqual([]);
  });
});
