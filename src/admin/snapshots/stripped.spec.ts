import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newTaskId } from '../../tasks/task.keys.js';
import { CONTENT_SHAPE, EVENT_SHAPE, stripped, TASK_SHAPE } from './stripped.js';

const KEY = Buffer.alloc(32, 'k');

/** Names of A2A and journals in positions chosen by callers: in data, metadata and step values. */
const names = fc.constantFrom(
  ...['id', 'what', 'state', 'role', 'until', 'kind', 'mediaType', 'extensions', 'referenceTaskIds', 'at', 'ms'],
  ...['taskId', 'contextId', 'timestamp', 'parts', 'status', 'text', 'secret-jane@x.com', '__proto__'],
);
const words = fc.oneof(
  fc.stringMatching(/^[a-z]{6,12}$/).map((word) => `secret-${word}`),
  fc.integer({ min: 4_711_000_000, max: 4_711_999_999 }),
);
const content = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, words, fc.boolean(), fc.array(tie('any')), fc.dictionary(names, tie('any'))),
})).any;

describe(stripped, () => {
  it('keeps A2A members in their own positions, and no content of callers and skills (A3)', () => {
    fc.assert(
      fc.property(content, fc.dictionary(names, content), words, (data, metadata, word) => {
        const id = newTaskId(0);
        const secret = String(word);
        const parts = [
          { data, metadata },
          { text: secret, mediaType: `secret/${secret}`, filename: secret },
          { raw: secret, mediaType: 'text/plain' },
        ];
        const message = {
          ...{ messageId: secret, contextId: secret, taskId: id, role: 'ROLE_USER', parts, metadata },
          ...{ extensions: [secret], referenceTaskIds: [secret, id], [secret]: data },
        };
        const artifact = {
          artifactId: secret,
          name: secret,
          description: secret,
          parts,
          metadata,
          extensions: [secret],
        };
        const status = { state: 'TASK_STATE_WORKING', timestamp: '2026-11-26T10:00:00.000Z', message };
        const task = { id, contextId: secret, status, artifacts: [artifact], history: [message], metadata };
        const shown = [
          stripped(task, KEY, TASK_SHAPE),
          stripped({ task }, KEY, EVENT_SHAPE),
          stripped({ message }, KEY, EVENT_SHAPE),
          stripped({ statusUpdate: { taskId: id, contextId: secret, status, metadata } }, KEY, EVENT_SHAPE),
          stripped({ artifactUpdate: { taskId: id, artifact, append: true, lastChunk: false } }, KEY, EVENT_SHAPE),
          stripped(data, KEY, CONTENT_SHAPE),
          stripped({ at: word, ms: word, of: secret, value: data }, KEY, CONTENT_SHAPE),
        ];
        expect(JSON.stringify(shown)).not.toMatch(/secret|4711\d{6}/);
        const [kept] = shown as [typeof task];
        expect(kept).toMatchObject({
          ...{
            id,
            status: { state: 'TASK_STATE_WORKING', timestamp: status.timestamp, message: { role: 'ROLE_USER' } },
          },
          history: [{ parts: [{}, {}, { mediaType: 'text/plain' }], referenceTaskIds: [expect.any(String), id] }],
        });
        expect(JSON.stringify(kept.artifacts)).not.toContain('"id"');
      }),
    );
  });

  it('has equal marks for equal texts of a bundle, and others in another bundle', () => {
    const value = { a: 'secret', b: ['secret', true, null] };
    const shown = stripped(value, KEY, CONTENT_SHAPE);
    expect(Object.values(shown as object)).toEqual([
      expect.stringMatching(/^<text 6 /),
      [expect.any(String), '<boolean>', null],
    ]);
    expect(shown).toEqual(stripped(value, KEY, CONTENT_SHAPE));
    expect(shown).not.toEqual(stripped(value, Buffer.alloc(32, 'o'), CONTENT_SHAPE));
  });
});
