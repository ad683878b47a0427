import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { TaskDetails } from '../api/types.js';
import { openBundle, sourceOf } from './bundle.js';

const about = (id: string, tree?: TaskDetails['tree']): TaskDetails => ({
  ...{ id, owner: 'o', tenant: 'acme', client: 'c', contextId: 'x', skill: 's', state: 'TASK_STATE_COMPLETED' },
  ...{ since: '2026-11-22T20:00:09.000Z', created: '2026-11-22T20:00:00.000Z', events: 2, turn: 1, attempts: 0 },
  ...{ isCancelRequested: false, runs: [], steps: [], bytes: { messages: 1, results: 1 } },
  ...(tree === undefined ? {} : { tree }),
});
const status = '{"statusUpdate":{"status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-22T20:00:09.000Z"}}}';

function fileOf({ isStripped = false } = {}): string {
  const lines = [
    { kind: 'manifest', format: 'parley-bundle/1', made: '', service: '1', node: '20', task: 'a', isStripped },
    { kind: 'task', task: 'a', value: about('a') },
    { kind: 'snapshot', task: 'a', value: { id: 'a', contextId: 'x', status: { state: 'TASK_STATE_COMPLETED' } } },
    { kind: 'task', task: 'b', value: about('b', { parent: 'a', root: 'a', path: 's/b#1' }) },
    { kind: 'snapshot', task: 'b', value: { id: 'b', contextId: 'x', status: { state: 'TASK_STATE_COMPLETED' } } },
  ].map((line) => JSON.stringify(line));
  const events = [
    '{"kind":"event","task":"a","seq":1,"nonce":"n1","value":{"message":{"n":12345678901234567890}}}',
    `{"kind":"event","task":"a","seq":2,"nonce":"n2","value":${status}}`,
  ];
  const text = [...lines, ...events].map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${text}${JSON.stringify({ kind: 'end', lines: 7, sha256 })}\n`;
}

describe(openBundle, () => {
  it("answers the requests of a task's pages", async () => {
    const { read, base, isLive } = sourceOf(await openBundle('a.jsonl', fileOf()));
    expect({ base, isLive }).toEqual({ base: '/bundle', isLive: false });
    expect(await read('/tasks/a')).toEqual(about('a'));
    expect(await read('/tasks/a/events?last=400')).toMatchObject({
      latest: 2,
      events: [
        { seq: 1, nonce: 'n1', kind: 'message' },
        { seq: 2, nonce: 'n2', kind: 'status', bytes: status.length, state: 'TASK_STATE_COMPLETED' },
      ],
    });
    expect(await read('/tasks/a/events?last=1')).toMatchObject({ events: [{ seq: 2 }] });
    expect(await read('/tasks/b/tree')).toMatchObject({
      root: 'a',
      total: 2,
      tasks: [
        { id: 'a', depth: 0 },
        { id: 'b', depth: 1, parent: 'a', key: 'b#1' },
      ],
    });
    expect(await read('/tasks/a/content')).toMatchObject({ trimmed: false, task: { id: 'a' } });
    await expect(read('/tasks/c')).rejects.toThrow('does not have this task');
  });

  it('keeps the texts of events as the file has them', async () => {
    const { read } = sourceOf(await openBundle('a.jsonl', fileOf()));
    expect(await read('/tasks/a/raw?from=1&limit=1')).toEqual({
      events: [{ seq: 1, nonce: 'n1', bytes: 38, text: '{"message":{"n":12345678901234567890}}' }],
    });
  });

  it('shows no content of a bundle that has none', async () => {
    const { read } = sourceOf(await openBundle('a.jsonl', fileOf({ isStripped: true })));
    await expect(read('/tasks/a/content')).rejects.toThrow('without content');
  });

  it('refuses a file that was changed, or that is no bundle', async () => {
    await expect(openBundle('a.jsonl', fileOf().replace('"n1"', '"n9"'))).rejects.toThrow('was changed');
    await expect(openBundle('a.jsonl', 'hello')).rejects.toThrow('no bundle');
  });
});
