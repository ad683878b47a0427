import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../kit/run/eventually.js';
import { parleyOps } from '../../../kit/app/ops-command.js';
import { testRedisUrl } from '../../../kit/redis/shared-redis.js';
import { aMessage, RpcClient } from '../../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../../kit/app/running-app.js';
import { SCRIPTED, type Step } from '../../../kit/skills/scripted.skill.js';

let receiver: Server;
let hook: string;
let service: RunningApp;
let client: RpcClient;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/gone' ? 410 : request.url === '/ill' ? 500 : 200).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  hook = `http://${host}`;
  service = await runApp({ EGRESS_ALLOW: `${host}=127.0.0.1/32!http` }, SCRIPTED);
  client = new RpcClient(service.url);
}, 60_000);

afterAll(async () => {
  await service.close();
  receiver.close();
}, 60_000);

async function parley(...args: readonly string[]): Promise<string> {
  return (await parleyOps(args, { REDIS_URL: testRedisUrl(), KEY_PREFIX: service.keyPrefix })).out;
}

/** Sends a script, and returns the id of its task when it is in the state. */
async function sent(script: readonly Step[], state: string, configuration: object = {}): Promise<string> {
  const message = aMessage('Do it', { metadata: { skillId: 'scripted', script } });
  const { id } = await client.task('SendMessage', {
    ...message,
    configuration: { returnImmediately: true, ...configuration },
  });
  await eventually(async () => expect((await client.task('GetTask', { id })).status.state).toBe(`TASK_STATE_${state}`));
  return id;
}

const WORKER = /[0-9a-f]{12}/.source;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/.source;
const status = (state: 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_AUTH_REQUIRED' | 'TASK_STATE_REJECTED'): Step => ({
  ...{ kind: 'status', state, parts: [{ text: 'well?' }] },
});

describe('parley ops task', () => {
  it('shows a finished task: its run, its events, its bytes', async () => {
    const text = await parley('task', await sent([], 'COMPLETED'));
    expect(text).toMatch(/^task +\S+\nstate +completed since /);
    expect(text).toMatch(/\nrun +none, the task has ended\nstored +\d+ bytes of messages, \d+ of results and events\n/);
    expect(text).toMatch(
      new RegExp(
        `\\nRUN +TURN +ATTEMPT +WORKER +BEGUN +TOOK +HOW\\n1 +1 +1 +${WORKER} +${TIME} +\\d+ ms +completed\\n`,
      ),
    );
    expect(text).toMatch(/\nEVENT +KIND +WHAT\n1 +task .*\n2 +status +working .*\n3 +status +completed /);
    expect(text).toContain('No webhooks.');
  }, 30_000);

  it('shows a running one: worker, lease, the run that goes on; a cancel of it, and its end', async () => {
    const id = await sent([{ kind: 'wait', ms: 600_000 }], 'WORKING');
    const text = await parley('task', id);
    expect(text).toMatch(
      new RegExp(`\\nrun +${WORKER} \\(all 0\\.0\\.0-test on \\S+, pid \\d+\\), its lease ends in \\d\\.\\d s\\n`),
    );
    expect(text).toMatch(new RegExp(`\\n1 +1 +1 +${WORKER} +${TIME} +running\\n`));
    await parley('cancel', id);
    await eventually(async () => expect((await client.task('GetTask', { id })).status.state).toContain('CANCELED'));
    const after = await parley('task', id);
    expect(after).toMatch(/\nstate +canceled since \S+Z\n/);
    expect(after).toMatch(/ canceled\n/);
  }, 30_000);

  it('shows those that wait for an answer, and those that were refused or failed', async () => {
    const asked = await parley('task', await sent([status('TASK_STATE_INPUT_REQUIRED')], 'INPUT_REQUIRED'));
    expect(asked).toMatch(/\nrun +none, the task waits for an answer\n/);
    expect(asked).toMatch(/ input-required\n/);
    expect(await parley('task', await sent([status('TASK_STATE_AUTH_REQUIRED')], 'AUTH_REQUIRED'))).toMatch(
      / auth-required\n/,
    );
    expect(await parley('task', await sent([status('TASK_STATE_REJECTED')], 'REJECTED'))).toMatch(/ rejected\n/);
    const failed = await parley('task', await sent([{ kind: 'fail', text: 'no' }], 'FAILED'));
    expect(failed).toMatch(/\nstate +failed since /);
    expect(failed).toMatch(/ failed\n/);
  }, 60_000);

  it('shows the webhooks of a task, each attempt, and why one was stopped', async () => {
    const push = (path: string) => ({ taskPushNotificationConfig: { url: `${hook}/${path}` } });
    const id = await sent([], 'COMPLETED', push('ok'));
    await eventually(async () => expect(await parley('task', id)).toMatch(/ 3 +1 +delivered +200 +\d+ ms\n/), {
      timeoutMs: 15_000,
    });
    const ill = await sent([], 'COMPLETED', push('ill'));
    await eventually(
      async () =>
        expect(await parley('task', ill)).toMatch(new RegExp(`NEXT ATTEMPT +STOPPED\\n\\S+ +${hook} +${TIME} *\\n`)),
      { timeoutMs: 15_000 },
    );
    const gone = await sent([], 'COMPLETED', push('gone'));
    await eventually(
      async () => expect(await parley('task', gone)).toMatch(new RegExp(`${hook} +\\S+ at ${TIME}\\n`)),
      {
        timeoutMs: 15_000,
      },
    );
  }, 60_000);

  it('lists a whole tenant by state, with a total for each', async () => {
    const text = await parley('tasks', '--state', 'failed', '--limit', '5');
    expect(text).toMatch(
      /^TASK +STATE +SKILL +SINCE +BYTES +OWNER\n\S+ +failed +scripted +\S+ +\d+ +default\/client:local\n1 of 1\n/,
    );
    expect(text).toMatch(/All tasks of the tenant: .*completed \d+, failed 1, canceled 1, rejected 1/);
    const none = await parley('tasks', '--tenant', 'nobody');
    expect(none).toContain('The tenant nobody has no tasks. Tenants with tasks (--tenant): default');
    const found = JSON.parse(await parley('--json', 'tasks', '--skill', 'scripted')) as { tasks: readonly unknown[] };
    expect(found.tasks.length).toBeGreaterThan(5);
  }, 30_000);
});
