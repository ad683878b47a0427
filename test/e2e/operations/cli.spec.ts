import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testRedisUrl } from '../../kit/redis.js';
import { aMessage, RpcClient } from '../../kit/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/running-app.js';

const run = promisify(execFile);

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

/** The built command in a process of its own, with the variables of the service. */
async function parley(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, REDIS_URL: testRedisUrl(), KEY_PREFIX: service.keyPrefix };
  try {
    return { code: 0, ...(await run(process.execPath, ['dist/cli/parley.js', ...args], { env })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

async function json(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await parley('--json', ...args);
  return JSON.parse(stdout);
}

describe('parley', () => {
  it('lists the tasks of a client, as a table and as JSON', async () => {
    expect(await json('tasks')).toMatchObject({ total: 2, tasks: [{ state: 'TASK_STATE_COMPLETED' }, {}] });
    const { stdout } = await parley('tasks', '--state', 'completed', '--context', contextId);
    expect(stdout).toMatch(/^TASK +STATE +SINCE +CONTEXT\n/);
    expect(stdout).toContain('1 of 1');
    expect(await json('tasks', '--client', 'nobody')).toEqual({ total: 0, tasks: [] });
  }, 60_000);

  it('shows the queue and the dead letters', async () => {
    expect(await json('queue')).toMatchObject({ jobs: { waiting: 0, active: 0 }, oldestWaitSeconds: 0 });
    expect(await json('webhooks', 'list')).toEqual({ total: 0, deadLetters: [] });
    expect(await json('webhooks', 'redrive', '--origin', 'https://a.example')).toEqual({ revived: 0, gone: 0 });
  }, 60_000);

  it('removes tasks only when told which, and twice', async () => {
    expect(await parley('purge')).toMatchObject({ code: 1, stderr: expect.stringContaining('Say which tasks') });
    expect(await json('purge', '--context', contextId)).toMatchObject({ found: 1, removed: 0 });
    expect(await json('purge', '--context', contextId, '--yes')).toMatchObject({ found: 1, removed: 1 });
    expect(await json('tasks')).toMatchObject({ total: 1 });
  }, 60_000);

  it('is well on a fit Redis, and ill with a wrong variable, by its exit code too', async () => {
    const well = await parley('doctor', '--url', service.url);
    expect(well.stdout).toContain('Redis');
    expect(well.stdout).toContain('answers in');
    const { PATH = '' } = process.env;
    const ill = run(process.execPath, ['dist/cli/parley.js', 'doctor'], { env: { PATH, PORT: 'eighty' } });
    await expect(ill).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('FAIL  configuration') });
  }, 60_000);

  it('says what it needs when there is no REDIS_URL', async () => {
    const { PATH = '' } = process.env;
    const lost = run(process.execPath, ['dist/cli/parley.js', 'queue'], { env: { PATH } });
    await expect(lost).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Set REDIS_URL') });
  }, 60_000);
});
