import { describe, expect, it } from '@jest/globals';
import type { StreamResponse } from './event.js';
import { foldTask } from './fold-task.js';
import type { Message } from './message.js';
import { SUBTASK_EXTENSION } from './subtask.js';
import type { Artifact, Task } from './task.js';
import type { TaskState } from './task-state.js';

const ids = { taskId: 't', contextId: 'c' };
const asked: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hello' }] };
const task: Task = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2026-01-01T00:00:00.000Z' },
  history: [asked],
  metadata: { from: 'a test' },
};

function said(text: string): Message {
  return { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] };
}

function status(state: TaskState, message?: Message): StreamResponse {
  const timestamp = '2026-01-01T00:00:01.000Z';
  return { statusUpdate: { ...ids, status: { state, timestamp, ...(message === undefined ? {} : { message }) } } };
}

function artifact(
  artifactId: string,
  text: string,
  rest: Partial<Artifact> & { append?: boolean } = {},
): StreamResponse {
  const { append, ...described } = rest;
  const update = { ...ids, artifact: { artifactId, ...described, parts: [{ text }] } };
  return { artifactUpdate: append === undefined ? update : { ...update, append } };
}

describe(foldTask.name, () => {
  it('is the task itself while nothing has happened', () => {
    expect(foldTask(task, [])).toEqual(task);
  });

  it('keeps the last status, and the messages of those before as history', () => {
    const folded = foldTask(task, [
      status('TASK_STATE_WORKING', said('one')),
      status('TASK_STATE_WORKING'),
      status('TASK_STATE_COMPLETED', said('two')),
    ]);

    expect(folded.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: said('two') });
    expect(folded.history).toEqual([asked, said('one')]);
    expect(folded.metadata).toEqual({ from: 'a test' });
  });

  it('leaves out the progress of children, which changes nothing but the log', () => {
    const note: StreamResponse = {
      statusUpdate: {
        ...ids,
        status: { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:01.000Z', message: said('a child') },
        metadata: { [SUBTASK_EXTENSION]: { taskId: 'child' } },
      },
    };
    const piece: StreamResponse = {
      artifactUpdate: {
        ...ids,
        artifact: { artifactId: 'root/child#1/out', parts: [{ text: 'of a child' }] },
        metadata: { [SUBTASK_EXTENSION]: { taskId: 'child' } },
      },
    };
    const folded = foldTask(task, [status('TASK_STATE_WORKING', said('own')), note, piece]);
    expect(folded.status.message).toEqual(said('own'));
    expect(folded.artifacts).toBeUndefined();
    expect(folded.history).toEqual([asked]);
  });

  it('adds chunks to their artifact, whose description is the latest, and replaces one that begins anew (A2A-ART-01, -02)', () => {
    const folded = foldTask(task, [
      artifact('a', '1', { name: 'first' }),
      artifact('b', 'x'),
      artifact('a', '2', { name: 'second', append: true }),
      artifact('b', 'y'),
    ]);

    expect(folded.artifacts).toEqual([
      { artifactId: 'a', name: 'second', parts: [{ text: '1' }, { text: '2' }] },
      { artifactId: 'b', parts: [{ text: 'y' }] },
    ]);
  });
});
