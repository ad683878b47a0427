import { describe, expect, it } from '@jest/globals';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { Json } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import type { LoggedEvent } from '../../../tasks/commit/event-log.js';
import { taskAtEvent } from './task-at-event.js';

const said = (messageId: string, role: Message['role']): Message => ({ messageId, role, parts: [{ text: messageId }] });
const first = said('u1', 'ROLE_USER');
const begun: Task = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2026-01-01T00:00:00.000Z' },
  history: [first],
};
const status = (state: TaskState, message?: Message): StreamResponse => ({
  statusUpdate: {
    taskId: 't',
    contextId: 'c',
    status: { state, timestamp: '2026-01-01T00:00:01.000Z', ...(message === undefined ? {} : { message }) },
  },
});
const artifact = (text: string, append: boolean): StreamResponse => ({
  artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text }] }, append },
});
const question = said('q1', 'ROLE_AGENT');
const answer = said('u2', 'ROLE_USER');
const EVENTS: readonly LoggedEvent[] = [
  { task: begun },
  status('TASK_STATE_WORKING'),
  artifact('one', false),
  status('TASK_STATE_INPUT_REQUIRED', question),
  status('TASK_STATE_WORKING'),
  artifact('two', true),
  status('TASK_STATE_COMPLETED'),
].map((event, at) => ({ seq: at + 1, nonce: 'n', event: Json.of(event) }));
const NOW: Task = {
  ...begun,
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:01.000Z' },
  artifacts: [{ artifactId: 'a', parts: [{ text: 'one' }, { text: 'two' }] }],
  history: [first, question, answer],
};

describe(taskAtEvent.name, () => {
  it('gives each state, the artifacts and the history as of the event (S3)', () => {
    const seen = EVENTS.map(({ seq }) => taskAtEvent(NOW, EVENTS, seq)).map((task) => [
      task.status.state.replace('TASK_STATE_', ''),
      task.artifacts?.[0]?.parts.length ?? 0,
      (task.history ?? []).map(({ messageId }) => messageId).join(),
    ]);
    expect(seen).toEqual([
      ['SUBMITTED', 0, 'u1'],
      ['WORKING', 0, 'u1'],
      ['WORKING', 1, 'u1'],
      ['INPUT_REQUIRED', 1, 'u1'],
      ['WORKING', 1, 'u1,q1,u2'],
      ['WORKING', 2, 'u1,q1,u2'],
      ['COMPLETED', 2, 'u1,q1,u2'],
    ]);
  });

  it('gives the status as of the event where the beginning of the log was trimmed', () => {
    const { status: then, artifacts } = taskAtEvent(NOW, EVENTS.slice(3), 4);
    expect(then).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', message: question });
    expect(artifacts).toEqual(NOW.artifacts);
  });
});
