import { describe, expect, it } from '@jest/globals';
import type { Part } from '@parley/protocol/model/message.js';
import type { SendMessageResponse } from '@parley/protocol/model/operations.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { intentAnswerOf } from './intent-answer.js';

const artifact = (artifactId: string, ...parts: Part[]): object => ({ artifactId, parts });

function aTask(state: TaskState, { artifacts = [] as object[], said = [] as Part[] } = {}): SendMessageResponse {
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: said };
  const status = { state, timestamp: '2026-01-01T00:00:00Z', ...(said.length === 0 ? {} : { message }) };
  return { task: { id: 't', contextId: 'c', status, artifacts } } as SendMessageResponse;
}

const done = (hasOutput: boolean, ...artifacts: object[]): unknown =>
  intentAnswerOf(aTask('TASK_STATE_COMPLETED', { artifacts }), hasOutput);

describe(intentAnswerOf.name, () => {
  it('returns the value checked by the output contract (O-02, O-04)', () => {
    const parts = [artifact('note', { text: 'read' }), artifact('summary', { data: { summary: 's' } })];
    expect(done(true, ...parts)).toMatchObject({ kind: 'done', taskId: 't', result: { summary: 's' } });
  });

  it('names artifacts by their ids when there is no contract (O-02)', () => {
    const file: Part = { raw: 'AA==', mediaType: 'image/png' };
    const some = [
      artifact('summary', { text: 'a' }, { text: 'b' }),
      artifact('facts', { data: [1] }),
      artifact('image', file),
      artifact('__proto__', { text: 'x' }, { data: 2 }),
    ];
    const { result } = done(false, ...some) as { result: object };
    expect(Object.entries(result)).toEqual([
      ['summary', 'a\nb'],
      ['facts', [1]],
      ['image', file],
      ['__proto__', ['x', 2]],
    ]);
  });

  it('returns the last message of a task or a direct skill without artifacts', () => {
    const said: Part[] = [{ text: 'Paid.' }];
    expect(intentAnswerOf(aTask('TASK_STATE_COMPLETED', { said }), true)).toMatchObject({
      result: { message: 'Paid.' },
    });
    const direct = { message: { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ data: { sum: 3 } }] } };
    expect(intentAnswerOf(direct, false)).toEqual({ kind: 'done', result: { sum: 3 } });
    expect(done(true)).toMatchObject({ result: {} });
  });

  it.each([
    ['TASK_STATE_WORKING', 'running'],
    ['TASK_STATE_SUBMITTED', 'running'],
    ['TASK_STATE_INPUT_REQUIRED', 'asks'],
    ['TASK_STATE_AUTH_REQUIRED', 'asks'],
    ['TASK_STATE_FAILED', 'failed'],
    ['TASK_STATE_REJECTED', 'failed'],
    ['TASK_STATE_CANCELED', 'failed'],
  ] as const)('of a task in %s says: %s (O-02)', (state, kind) => {
    expect(intentAnswerOf(aTask(state), true)).toMatchObject({ kind, taskId: 't', contextId: 'c', status: state });
  });
});
