import { randomUUID } from 'node:crypto';
import {
  connect,
  type ConnectionUse,
  type RedisClient,
} from '../../../../src/platform/redis/connection/redis-client.js';
import { RedisSentinel } from '../../../../test/kit/redis/topology/redis-sentinel.js';
import { call, paramsOf } from '../../load/caller.js';
import { until } from '../../fleet/fleet.js';
import { type Outcome, type Scenario, type ScenarioOptions, unless } from '../../scenario.js';
import { Service } from '../../fleet/service.js';
import { ChaosReceiver } from '../../webhook/receivers.js';
import { webhookVariables } from '../../webhook/settings.js';

const START_MS = 120_000;
/** After a failover everything must work again within this time. */
const PATIENCE_MS = 60_000;
const ROLES = ['api', 'worker', 'dispatcher'] as const;
const USES: readonly ConnectionUse[] = ['command', 'blocking', 'subscriber'];

/** Failovers one after the other, by Sentinels that are far away: no connection and no process may stay behind. */
export const sentinel: Scenario = {
  name: 'sentinel',
  what: 'the primary of a Sentinel group is killed again and again; the Sentinels are 100 ms away',
  settings: { failovers: 20, connections: 30, 'delay-ms': 100 },

  async run({ say, setting }) {
    const group = await RedisSentinel.start(setting('delay-ms'));
    const receiver = await new ChaosReceiver('hook', (_request, response) => response.end()).listen();
    const connections = openConnections(group.url, setting('connections'));
    const variables = { KEY_PREFIX: group.keyPrefix, REDIS_URL: group.url, ...webhookVariables([receiver]) };
    const services = new Map(ROLES.map((role) => [role, launch({ ...variables, ROLE: role })]));
    const dead: string[] = [];
    const idle: string[] = [];
    const [backMs, ends] = [[] as number[], { count: 0 }];
    try {
      for (const { client } of connections) client.on('end', () => (ends.count += 1));
      await until(() => [...services.values()].every(({ isUp }) => isUp), START_MS);
      await work(services, receiver);
      for (let failover = 1; failover <= setting('failovers'); failover += 1) {
        await group.failOver();
        const began = Date.now();
        const [lost, unable] = await Promise.all([deadOf(connections), unableOf(services, receiver)]);
        dead.push(...lost.map((name) => `${String(failover)}: ${name}`));
        idle.push(...unable.map((name) => `${String(failover)}: ${name}`));
        backMs.push(Date.now() - began);
        say(JSON.stringify({ failover, dead: lost, idle: unable, backMs: backMs.at(-1), ends: ends.count }));
      }
      return outcomeOf({ setting, dead, idle, ends: ends.count, backMs });
    } finally {
      for (const { client } of connections) client.disconnect();
      for (const service of services.values()) service.signal('SIGKILL');
      await Promise.all([...services.values()].map(({ ended }) => ended));
      await Promise.all([receiver.close(), group.stop()]);
    }
  },
};

interface Found {
  readonly setting: ScenarioOptions['setting'];
  readonly dead: readonly string[];
  readonly idle: readonly string[];
  readonly ends: number;
  readonly backMs: readonly number[];
}

function outcomeOf({ setting, dead, idle, ends, backMs }: Found): Outcome {
  const failovers = setting('failovers');
  const all = setting('connections') * failovers;
  return {
    figures: { connections: all, dead: dead.length, idle: idle.length, accidentalEnds: ends, backMs },
    summary:
      `${String(failovers)} failovers: ${String(dead.length)} of ${String(all)} connections dead, ` +
      `${String(idle.length)} of ${String(ROLES.length * failovers)} processes that no longer work`,
    broken: unless({
      [`connections are dead: ${dead.join(', ')}`]: dead.length === 0,
      [`processes do not work: ${idle.join(', ')}`]: idle.length === 0,
    }),
    late: [],
  };
}

type Role = (typeof ROLES)[number];

interface Connection {
  readonly name: string;
  readonly client: RedisClient;
}

/** Connections of each use; every second one of the blocking is a copy, as BullMQ makes them. */
function openConnections(url: string, count: number): readonly Connection[] {
  return Array.from({ length: count }, (_unused, at) => {
    const use = USES[at % USES.length] ?? 'command';
    const name = `${use} ${String(at)}`;
    const copies: RedisClient[] = [];
    const client = connect(url, use, { onCopy: (copy) => copies.push(copy) });
    client.on('error', () => undefined);
    if (use !== 'blocking' || at % 2 === 0) return { name, client };
    (client as { duplicate(): unknown }).duplicate();
    client.disconnect();
    return { name: `${name} (copy)`, client: (copies[0] ?? client).on('error', () => undefined) };
  });
}

/** The names of connections that answer no command, although they had time to find the new primary. */
async function deadOf(connections: readonly Connection[]): Promise<readonly string[]> {
  const alive = await Promise.all(connections.map(({ client }) => works(() => client.ping())));
  return connections.filter((_one, at) => alive[at] !== true).map(({ name, client }) => `${name} (${client.status})`);
}

function launch(variables: Readonly<Record<string, string>>): Service {
  const service = new Service({ ...variables, REDIS_WAIT_REPLICAS: '1' });
  service.begin();
  return service;
}

/** The roles that do not do their work: the api answers, the worker runs, the dispatcher delivers; all are ready and live. */
async function unableOf(services: ReadonlyMap<Role, Service>, receiver: ChaosReceiver): Promise<readonly string[]> {
  const doesWork = await works(() => work(services, receiver));
  const healthy = await Promise.all(
    [...services].map(async ([role, { url = '' }]) => ({ role, ok: await works(() => isHealthy(url)) })),
  );
  const ill = healthy.filter(({ ok }) => !ok).map(({ role }) => role);
  return doesWork || ill.length > 0 ? ill : ['the work of all three'];
}

/** A task that a worker runs to its end, and whose end a dispatcher delivers. */
async function work(services: ReadonlyMap<Role, Service>, receiver: ChaosReceiver): Promise<void> {
  const hook = `${receiver.origin}/${randomUUID()}`;
  const order = { messageId: randomUUID(), skillId: 'steps', plan: { steps: 1, pauseMs: 1, asks: false }, hook };
  const before = receiver.arrivals.length;
  const { result, status, error } = await call(services.get('api')?.url ?? '', 'SendMessage', paramsOf(order, false));
  if (result?.task?.status.state !== 'TASK_STATE_COMPLETED')
    throw new Error(`${String(status)} ${error?.message ?? ''}`);
  await until(() => receiver.arrivals.length > before, 5_000);
}

async function isHealthy(url: string): Promise<void> {
  for (const probe of ['ready', 'live']) {
    const { status } = await fetch(`${url}/health/${probe}`, { signal: AbortSignal.timeout(2_000) });
    if (status !== 200) throw new Error(`${probe}: ${String(status)}`);
  }
}

/** Whether an attempt succeeds within the patience. */
async function works(attempt: () => Promise<unknown>): Promise<boolean> {
  const succeeds = (): Promise<boolean> =>
    Promise.race([attempt(), new Promise((_, reject) => setTimeout(reject, 15_000).unref())]).then(
      () => true,
      () => false,
    );
  return until(succeeds, PATIENCE_MS).then(
    () => true,
    () => false,
  );
}
