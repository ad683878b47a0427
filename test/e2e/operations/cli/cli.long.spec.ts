import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../kit/run/eventually.js';
import { parleyOps } from '../../../kit/app/ops-command.js';
import type { CommandResult } from '../../../kit/app/parley-command.js';
import { ServiceProcess } from '../../../kit/app/service-process.mjs';
import { testRedisUrl } from '../../../kit/redis/shared-redis.js';
import { aMessage, RpcClient } from '../../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../../kit/app/running-app.js';

const run = promisify(execFile);
const PARLEY = 'dist/cli/parley.js';

let service: RunningApp;
let contextId: string;

beforeAll(async () => {
  service = await runApp({ METRICS_PORT: '0' });
  const client = new RpcClient(service.url);
  ({ contextId } = await client.task('SendMessage', aMessage('Hello', { skillId: 'echo' })));
  await client.task('SendMessage', aMessage('Hello again', { skillId: 'echo' }));
}, 60_000);

afterAll(async () => {
  await service.close();
}, 60_000);

/** The command with the variables of the service. Those of the last tests are the built one, in processes of their own. */
function parley(...args: readonly string[]): Promise<CommandResult> {
  return parleyOps(args, { REDIS_URL: testRedisUrl(), KEY_PREFIX: service.keyPrefix });
}

async function json(...args: readonly string[]): Promise<unknown> {
  return JSON.parse((await parley('--json', ...args)).out);
}

describe('parley ops', () => {
  it('lists the tasks of a client, as a table and as JSON', async () => {
    expect(await json('tasks')).toMatchObject({ total: 2, tasks: [{ state: 'TASK_STATE_COMPLETED' }, {}] });
    const { out } = await parley('tasks', '--state', 'completed', '--context', contextId);
    expect(out).toMatch(/^TASK +STATE +SKILL +SINCE +OWNER\n\S+ +completed +echo /);
    expect(out).toContain('1 of 1');
    expect(await json('tasks', '--client', 'local')).toMatchObject({ total: 2 });
    const unknown = await parley('tasks', '--state', 'foo');
    expect(unknown).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Unknown task state: foo\. States: submitted/),
    });
    expect(await json('tasks', '--client', 'nobody')).toEqual({ total: 0, tasks: [] });
  }, 60_000);

  it('shows the queue and the dead letters', async () => {
    expect(await json('queue')).toMatchObject({ jobs: { waiting: 0, active: 0 }, oldestWaitSeconds: 0 });
    expect((await parley('queue')).out).toContain('No runs waiting.');
    expect(await json('webhooks', 'list')).toEqual({ total: 0, deadLetters: [] });
    expect(await json('webhooks', 'redrive', '--origin', 'https://a.example')).toEqual({ revived: 0, gone: 0 });
    expect(await json('webhooks', 'list', '--since', '2026-01-31')).toEqual({ total: 0, deadLetters: [] });
    const notOurs = await parley('webhooks', 'list', '--since', '2026-W05-1');
    expect(notOurs).toMatchObject({ code: 1, err: expect.stringContaining('2026-W05-1 is not a time') });
  }, 60_000);

  it('shows one task with its events, and says of an unknown one that it is', async () => {
    const { tasks } = (await json('tasks', '--context', contextId)) as { tasks: readonly { id: string }[] };
    const id = tasks[0]?.id ?? '';
    expect(await json('task', id)).toMatchObject({
      ...{ id, skill: 'echo', state: 'TASK_STATE_COMPLETED', contextId, webhooks: [], owner: 'default/client:local' },
      log: expect.arrayContaining([expect.objectContaining({ seq: 1, kind: 'task' })]),
    });
    const { out } = await parley('task', id);
    expect(out).toMatch(/^task +\S+\nstate +completed since /);
    expect(out).toMatch(/\nEVENT +KIND +WHAT\n1 +task /);
    expect(await parley('task', 'nonsense')).toMatchObject({ code: 1, err: 'Unknown task: nonsense\n' });
  }, 60_000);

  it('shows the run of a task, and cancels it whoever owns it', async () => {
    const client = new RpcClient(service.url);
    const message = aMessage('60', { skillId: 'countdown' });
    const { id } = await client.task('SendMessage', { ...message, configuration: { returnImmediately: true } });
    await eventually(async () => expect((await client.task('GetTask', { id })).status.state).toContain('WORKING'));
    expect((await parley('task', id)).out).toMatch(
      /\nrun +\S{12} \(all 0\.0\.0-test on \S+, pid \d+\), its lease ends in \d/,
    );
    expect((await parley('cancel', id)).out).toMatch(/^Cancel/);
    await eventually(async () => expect((await client.task('GetTask', { id })).status.state).toContain('CANCELED'));
    expect(await parley('cancel', id)).toMatchObject({
      ...{ code: 1, err: 'The task is canceled and cannot be canceled.\n' },
    });
    await parley('purge', '--context', (await client.task('GetTask', { id })).contextId, '--yes');
  }, 60_000);

  it('finds the embedded Redis of a service that runs on DATA_DIR', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-cli-'));
    const own = new ServiceProcess({ DATA_DIR: dataDir });
    try {
      await new RpcClient(await own.ready()).task('SendMessage', aMessage('Hello', { skillId: 'echo' }));
      const { PATH = '', HOME = '' } = process.env;
      const { stdout } = await run(process.execPath, [PARLEY, 'ops', 'tasks'], {
        env: { PATH, HOME, DATA_DIR: dataDir },
      });
      expect(stdout).toMatch(/ completed +echo .*\n1 of 1/s);
      const doctor = run(process.execPath, [PARLEY, 'ops', 'doctor'], { env: { PATH, HOME, DATA_DIR: dataDir } });
      expect((await doctor).stdout).toMatch(/Embedded Redis [\d.]+ keeps its data/);
    } finally {
      await own.stop('SIGKILL');
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 60_000);

  it('removes tasks only when told which, and twice', async () => {
    expect(await parley('purge')).toMatchObject({ code: 1, err: expect.stringContaining('Select the tasks') });
    expect(await json('purge', '--context', contextId)).toMatchObject({ found: 1, removed: 0 });
    expect(await json('purge', '--context', contextId, '--yes')).toMatchObject({ found: 1, removed: 1 });
    expect(await json('tasks')).toMatchObject({ total: 1 });
  }, 60_000);

  it('is well on a fit Redis, and ill with a wrong variable, by its exit code too', async () => {
    const well = await parley('doctor', '--url', service.url);
    expect(well.out).toContain('Redis');
    expect(well.out).toContain('answers in');
    const { PATH = '' } = process.env;
    const ill = run(process.execPath, [PARLEY, 'ops', 'doctor'], { env: { PATH, PORT: 'eighty' } });
    await expect(ill).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('FAIL  configuration') });
  }, 60_000);

  it('says what it needs where no service runs and there is no REDIS_URL', async () => {
    const { PATH = '' } = process.env;
    const lost = run(process.execPath, [PARLEY, 'ops', 'queue'], {
      env: { PATH, DATA_DIR: join(tmpdir(), 'no-such-folder') },
    });
    await expect(lost).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('set REDIS_URL') });
  }, 60_000);

  it('ends without an error where nobody reads on, as in `parley … | head`', async () => {
    const listed = spawn(process.execPath, [PARLEY, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    listed.stdout.destroy();
    const words = text(listed.stderr);
    expect(await once(listed, 'exit')).toEqual([0, null]);
    expect(await words).toBe('');
  }, 60_000);
});
