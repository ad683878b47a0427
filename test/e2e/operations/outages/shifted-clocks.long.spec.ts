import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { PushWatchdog } from '../../../../src/webhooks/delivery/push.watchdog.js';
import { Receiver } from '../../../integration/webhooks/receiver.js';
import { eventually } from '../../../kit/run/eventually.js';
import { testRedisUrl } from '../../../kit/redis/shared-redis.js';
import { aMessage, RpcClient } from '../../../kit/callers/rpc-client.js';
import type { ServiceProcess } from '../../../kit/app/service-process.mjs';
import { useServices } from '../../../kit/app/started-services.js';

const SECRET_KEYS = `now:${Buffer.alloc(32, 7).toString('base64')}`;
/** Longer than a watchdog takes to end its process: four checks, 5 s apart. */
const WATCHED_MS = 30_000;

const run = useServices();

/** Shifts the clock of a process from its first line on. */
function shiftedBy(seconds: number): Readonly<Record<string, string>> {
  const ms = String(seconds * 1000);
  const program = `const Real=Date;globalThis.Date=class extends Real{constructor(...a){super(...(a.length===0?[Real.now()+${ms}]:a))}static now(){return Real.now()+${ms}}}`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}

/** Clocks of the roles, seconds from the right time. */
const CLOCKS = [
  { api: 120, worker: -120, dispatcher: 120 },
  { api: -120, worker: 120, dispatcher: -120 },
];

describe(PushWatchdog.name, () => {
  it('goes by the clock of Redis: no process ends while a webhook waits for a retry, 120 s before and behind (M4)', async () => {
    expect(await Promise.all(CLOCKS.map(firstEnded))).toEqual(['none', 'none']);
  }, 150_000);
});

/** The first process that ends itself, of three whose clocks differ. */
async function firstEnded(clocks: (typeof CLOCKS)[number]): Promise<string> {
  const failing = new Receiver((_request, response) => response.writeHead(503).end());
  const working = new Receiver();
  await Promise.all([failing.listen(), working.listen()]);
  const shared = {
    ...{ REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}`, SECRET_KEYS },
    EGRESS_ALLOW: [failing, working].map(({ host }) => `${host}=127.0.0.1/32!http`).join(';'),
  };
  const services = (['api', 'worker', 'dispatcher'] as const).map((role) =>
    run({ ...shared, ...shiftedBy(clocks[role]), ROLE: role }),
  );
  const [url] = await Promise.all(services.map((service) => service.ready()));
  const rpc = new RpcClient(url ?? '');
  const hooked = (receiver: Receiver, skillId: string, text: string) =>
    rpc.task('SendMessage', {
      ...aMessage(text, { skillId }),
      configuration: { taskPushNotificationConfig: { url: receiver.url } },
    });

  expect((await hooked(failing, 'echo', 'one')).status.state).toBe('TASK_STATE_COMPLETED');
  expect((await hooked(working, 'countdown', '2')).status.state).toBe('TASK_STATE_COMPLETED');
  await eventually(() => expect(failing.received.length).toBeGreaterThan(0), { timeoutMs: 20_000 });
  await eventually(() => expect(working.received.length).toBeGreaterThan(0), { timeoutMs: 20_000 });
  const first = await endedWithin(WATCHED_MS, services);
  await Promise.all([failing.close(), working.close()]);
  return first;
}

/** Watches processes for a while: `none`, or the output of the first that has ended. */
async function endedWithin(ms: number, services: readonly ServiceProcess[]): Promise<string> {
  const watched = new Promise<string>((resolve) => setTimeout(() => resolve('none'), ms));
  return Promise.race([watched, ...services.map((one) => one.exited.then(() => one.output.join('\n')))]);
}
