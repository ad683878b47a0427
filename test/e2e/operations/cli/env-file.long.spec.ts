import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testRedisUrl } from '../../../kit/redis/shared-redis.js';

const MAIN = resolve('dist/main.js');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-env-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly event: string;
  readonly address: string;
  readonly role: string;
}

/** Starts the service in the folder, as `npm start` does in the project's, and reads the line that says that it is up. */
async function startIn(variables: Readonly<Record<string, string>>): Promise<Started> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    ...{ cwd: folder, env: { PATH, HOME, ...variables }, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  const ended = new Promise((done) => child.once('exit', done));
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const record = JSON.parse(line) as Started;
      if (record.event === 'service.started') return record;
    }
    throw new Error('The service ended before it was up');
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

describe('the file .env', () => {
  it('is read at the start from the working folder, and gives way to variables that are set', async () => {
    const lines = [`REDIS_URL=${testRedisUrl()}`, 'KEY_PREFIX=of-the-env-file', 'PORT=0', 'ROLE=api', 'HOST=127.0.0.1'];
    await writeFile(join(folder, '.env'), `# what this machine runs\n${lines.join('\n')}\n`);
    expect(await startIn({})).toMatchObject({ role: 'api' });
    expect(await startIn({ ROLE: 'worker' })).toMatchObject({ role: 'worker' });
  }, 60_000);

  it('is in the folder in which npm start runs the service', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
    // npm runs a script in the folder of package.json.
    expect(scripts.start).toMatch(/^node .*dist\/main\.js$/);
  });
});
