import { describe, expect, it } from '@jest/globals';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { Json } from '@parley/protocol/model/json.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import type { LoggedEvent } from '../../tasks/commit/event-log.js';
import { nextEvent } from './event-filter.js';

function logged(seq: number, event: StreamResponse): LoggedEvent {
  return { seq, nonce: 'n', event: Json.of(event) };
}

function status(seq: number, state: TaskState): LoggedEvent {
  return logged(seq, { statusUpdate: { taskId: 't', contextId: 'c', status: { state, timestamp: '' } } });
}

function artifact(seq: number): LoggedEvent {
  return logged(seq, { artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [] } } });
}

const WORKING = 'TASK_STATE_WORKING';
const COMPLETED = 'TASK_STATE_COMPLETED';

describe(nextEvent.name, () => {
  it('takes every event in order while deliveries succeed', () => {
    expect(nextEvent([status(1, WORKING), status(2, COMPLETED)], undefined, false)?.seq).toBe(1);
  });

  it('leaves out overtaken statuses, and nothing else, while the receiver is in trouble (A2A-PN-08)', () => {
    const events = [status(1, WORKING), status(2, WORKING), artifact(3), status(4, WORKING), status(5, COMPLETED)];
    expect(nextEvent(events, undefined, true)?.seq).toBe(3);
    expect(nextEvent(events.slice(3), undefined, true)?.seq).toBe(5);
    expect(nextEvent(events.slice(0, 1), undefined, true)?.seq).toBe(1);
    expect(nextEvent([status(1, COMPLETED), artifact(2)], undefined, true)?.seq).toBe(1);
  });

  it('considers only the events that the webhook wants (SEED-13)', () => {
    const events = [status(1, WORKING), artifact(2), status(3, COMPLETED)];
    expect(nextEvent(events, ['artifact'], false)?.seq).toBe(2);
    expect(nextEvent(events, [COMPLETED], false)?.seq).toBe(3);
    expect(nextEvent(events, ['status'], true)?.seq).toBe(3);
    expect(nextEvent(events, ['artifact', COMPLETED], true)?.seq).toBe(2);
    expect(nextEvent([status(1, WORKING)], [COMPLETED], false)).toBeUndefined();
    expect(nextEvent(events, [], false)?.seq).toBe(1);
  });
});
