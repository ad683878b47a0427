import { describe, expect, it } from '@jest/globals';
import { CALL_FAULT } from '@parley/protocol/extension/marks.js';
import type { Task } from '@parley/protocol/model/task.js';
import { outcomeOf } from './child-outcome.js';

const ended = (state: Task['status']['state'], fault?: unknown): Task => ({
  ...{ id: 't', contextId: 'c' },
  status: {
    ...{ state, timestamp: '2026-11-22T00:00:00.000Z' },
    message: {
      ...{ messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'no' }] },
      ...(fault === undefined ? {} : { metadata: { [CALL_FAULT]: fault } }),
    },
  },
});

describe(outcomeOf.name, () => {
  it.each(['unknown', 'auth', 'breaker', 'deadline', 'remote'])('O-87: a failed call has its reason: %s', (why) => {
    expect(outcomeOf(ended('TASK_STATE_FAILED', why))).toEqual({ why, text: 'no', taskId: 't' });
  });

  it('ignores unknown reasons, and has none at another end', () => {
    expect(outcomeOf(ended('TASK_STATE_FAILED', 'denied'))).toMatchObject({ why: 'failed' });
    expect(outcomeOf(ended('TASK_STATE_FAILED', 7))).toMatchObject({ why: 'failed' });
    expect(outcomeOf(ended('TASK_STATE_REJECTED', 'unknown'))).toMatchObject({ why: 'rejected' });
    expect(outcomeOf(ended('TASK_STATE_COMPLETED', 'unknown'))).not.toHaveProperty('why');
    expect(outcomeOf(ended('TASK_STATE_WORKING'))).toBeUndefined();
  });
});
