import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const RUN = ['--import', './test/kit/run/typescript.mjs', 'scripts/bench/main.ts', '--quick'];

it('the benchmark measures both sides, prints its tables and writes its figures', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const json = join(folder, 'bench.json');
  try {
    const chosen = ['--case', 'send', '--case', 'call', '--seconds', '0.2'];
    const { stdout } = await promisify(execFile)(process.execPath, [...RUN, ...chosen, '--json', json]);
    expect(stdout).toMatch(/^\| blocking send, 32 connections \| requests\/s \| +[\d.,]+ \|/m);
    expect(stdout).toMatch(/^\| .* \| a call until its parent goes on: p50, ms \| +[\d.,]+ \|/m);
    const { measures } = JSON.parse(await readFile(json, 'utf8'));
    expect(new Set(measures.map(({ system }: { system: string }) => system))).toEqual(
      new Set(['parley', 'parley-apart', 'parley-guarded', 'sdk-memory', 'sdk-redis']),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);

it('the benchmark of the registry finds every agent, and fetches a card once for all look-ups', async () => {
  const run = ['--expose-gc', '--import', './test/kit/run/typescript.mjs', 'scripts/bench/registry.ts', '200'];
  const { stdout } = await promisify(execFile)(process.execPath, run);
  expect(JSON.parse(stdout)).toMatchObject({ agents: 200, read: 200, upstream: 1 });
}, 60_000);
