import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningApp, runApp } from '../kit/app/running-app.js';

const run = promisify(execFile);

/** The shell blocks of docs/callers.md in their order, as one script. */
function scriptOf(url: string): string {
  const text = readFileSync('docs/callers.md', 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.join('\necho "-- next"\n').replace('http://127.0.0.1:3000', url).replaceAll('/tmp/', `${tmpdir()}/`);
}

describe('docs/callers.md', () => {
  let app: RunningApp;
  let answers: readonly string[];

  beforeAll(async () => {
    app = await runApp();
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', scriptOf(app.url)], { timeout: 25_000 });
    answers = stdout.split('-- next\n');
  });

  afterAll(() => app.close());

  it('sends and waits', () => {
    expect(answers[1]).toContain('"parts":[{"text":"Hello"}]');
    expect(answers[1]).toContain('TASK_STATE_COMPLETED');
  });

  it('streams, and resumes behind the last event', () => {
    const ids = (text = ''): readonly string[] => [...text.matchAll(/^id: (\d+)/gm)].map(([, id = '']) => id);
    expect(ids(answers[2])).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(ids(answers[3])).toEqual(['3', '4', '5', '6', '7', '8']);
  });

  it('cancels', () => {
    expect(answers[4]).toContain('TASK_STATE_CANCELED');
  });

  it('answers a question', () => {
    expect(answers[5]).toContain('Payment approved');
  });

  it('gives the same task for a repeated message', () => {
    const task = (text = ''): string => /"task":\{"id":"([^"]+)/.exec(text)?.[1] ?? 'none';
    expect(task(answers[6])).toBe(task(answers[1]));
  });

  it('speaks HTTP+JSON', () => {
    expect(answers[7]).toContain('TASK_STATE_COMPLETED');
  });

  it('takes a file and returns it', () => {
    expect(answers[9]).toContain('"raw":"SGVsbG8="');
  });

  it('names the reason of an error and the wrong field', () => {
    expect(answers[10]).toContain('INVALID_PARAMS');
    expect(answers[10]).toContain('message.parts[0]');
    expect(answers[10]).toContain('TASK_NOT_CANCELABLE');
  });
});
