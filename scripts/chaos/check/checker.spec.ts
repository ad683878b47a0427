import { describe, expect, it } from '@jest/globals';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import type { Order } from '../load/caller.js';
import { check, recoveryTimes } from './checker.js';
import { emptyHistory, type History, type Notice, type Reading } from '../load/history.js';
import type { StoredTask } from './stored-tasks.js';

const NOTHING_WRONG = {
  ...{ lost: 0, orphans: 0, doubleTerminal: 0, afterTerminal: 0, gaps: 0, wrongResults: 0 },
  ...{ uncanceled: 0, unheeded: 0, misread: 0, unnoticed: 0, faults: [] },
};

/** A recorded run of one task of two steps, which one reader and one webhook followed; each test plants one violation. */
function recorded(): { task: StoredTask; order: Order; reading: Reading; notices: readonly Notice[] } {
  const events = [
    submitted(),
    status('TASK_STATE_WORKING'),
    begin(1, 100, 1_000),
    chunk('0;', false),
    chunk('1;', true),
    status('TASK_STATE_COMPLETED'),
  ].map((event, at) => ({ seq: at + 1, event }));
  return {
    task: {
      id: 'task-1',
      fields: { state: 'TASK_STATE_COMPLETED', seq: '6' },
      events,
      history: [{ messageId: 'message-1', role: 'ROLE_USER', parts: [{ text: 'go' }] }],
      runs: [],
    },
    order: {
      messageId: 'message-1',
      skillId: 'steps',
      plan: { steps: 2, pauseMs: 0, asks: false },
      hook: 'http://hook',
    },
    reading: {
      taskId: 'task-1',
      events: events.map(({ seq, event }) => ({ seq, data: seq === 1 ? '' : JSON.stringify(event) })),
      faults: [],
    },
    notices: events.map(({ seq, event }) => ({ taskId: 'task-1', seq, body: JSON.stringify(event) })),
  };
}

function submitted(): StreamResponse {
  return { task: { id: 'task-1', contextId: 'c', status: statusOf('TASK_STATE_SUBMITTED') } };
}

function status(state: TaskState, metadata = {}): StreamResponse {
  return { statusUpdate: { taskId: 'task-1', contextId: 'c', status: statusOf(state), metadata } };
}

function statusOf(state: TaskState): { state: TaskState; timestamp: string } {
  return { state, timestamp: '2026-01-01T00:00:00.000Z' };
}

function begin(attempt: number, pid: number, at: number): StreamResponse {
  return status('TASK_STATE_WORKING', { attempt, turn: 1, pid, at });
}

function chunk(text: string, append: boolean): StreamResponse {
  return {
    artifactUpdate: { taskId: 'task-1', contextId: 'c', artifact: { artifactId: 'out', parts: [{ text }] }, append },
  };
}

/** The events renumbered, as a service would store them. */
function stored(task: StoredTask, events: readonly StreamResponse[]): StoredTask {
  const numbered = events.map((event, at) => ({ seq: at + 1, event }));
  return { ...task, events: numbered, fields: { ...task.fields, seq: String(events.length) } };
}

function told({ order, reading, notices }: Omit<ReturnType<typeof recorded>, 'task'>): History {
  const history = emptyHistory(notices);
  history.orders.push(order);
  history.readings.push(reading);
  history.accepted.set(order.messageId, new Set(['task-1']));
  return history;
}

/** Without readers and webhooks, whose own tests are below. */
function unread(order: Order): History {
  const { hook: _hook, ...quiet } = order;
  const history = emptyHistory();
  history.orders.push(quiet);
  history.accepted.set(order.messageId, new Set(['task-1']));
  return history;
}

const eventsOf = (task: StoredTask): readonly StreamResponse[] => task.events.map(({ event }) => event);

describe(check.name, () => {
  it('finds nothing in a history that is as it should be', () => {
    const { task, ...rest } = recorded();
    expect(check(told(rest), [task])).toMatchObject({ ...NOTHING_WRONG, tasks: 1, completed: 1, reruns: 0 });
  });

  it('finds an accepted task that is not there', () => {
    const { order } = recorded();
    expect(check(unread(order), [])).toMatchObject({ lost: 1, faults: [expect.stringContaining('not there')] });
  });

  it('finds a task that never ended', () => {
    const { task, order } = recorded();
    const stuck = stored({ ...task, fields: { state: 'TASK_STATE_WORKING' } }, eventsOf(task).slice(0, -1));
    expect(check(unread(order), [stuck])).toMatchObject({ lost: 1, doubleTerminal: 0 });
  });

  it('finds a second terminal event', () => {
    const { task, order } = recorded();
    const twice = stored(task, [...eventsOf(task), status('TASK_STATE_COMPLETED')]);
    expect(check(unread(order), [twice])).toMatchObject({ doubleTerminal: 1 });
  });

  it('finds an event after the end', () => {
    const { task, order } = recorded();
    const late = stored(task, [...eventsOf(task), status('TASK_STATE_WORKING')]);
    expect(check(unread(order), [late])).toMatchObject({ afterTerminal: 1, doubleTerminal: 0 });
  });

  it('finds a gap in the numbers', () => {
    const { task, order } = recorded();
    const gap = { ...task, events: task.events.filter(({ seq }) => seq !== 3) };
    expect(check(unread(order), [gap])).toMatchObject({ gaps: 1 });
  });

  it('finds events that the log has lost at its end', () => {
    const { task, order } = recorded();
    expect(check(unread(order), [{ ...task, fields: { ...task.fields, seq: '7' } }])).toMatchObject({ gaps: 1 });
  });

  it('finds a message that began two tasks', () => {
    const { task, order } = recorded();
    const history = unread(order);
    history.accepted.set(order.messageId, new Set(['task-1', 'task-2']));
    expect(check(history, [task, { ...task, id: 'task-2' }])).toMatchObject({ orphans: 2 });
  });

  it('finds a task that no caller has sent', () => {
    const { task, order } = recorded();
    const stranger = { ...task, id: 'task-2', history: [{ ...task.history[0]!, messageId: 'message-2' }] };
    expect(check(unread(order), [task, stranger])).toMatchObject({ orphans: 1 });
  });

  it('finds a chunk that a re-run has doubled', () => {
    const { task, order } = recorded();
    const events = eventsOf(task);
    const doubled = stored(task, [...events.slice(0, 5), chunk('1;', true), ...events.slice(5)]);
    expect(check(unread(order), [doubled])).toMatchObject({ wrongResults: 1 });
  });

  it("accepts a re-run that replaces the lost run's output", () => {
    const { task, order } = recorded();
    const events = eventsOf(task);
    const rerun = stored(task, [...events.slice(0, 4), begin(2, 200, 9_000), chunk('0;', false), ...events.slice(4)]);
    expect(check(unread(order), [rerun])).toMatchObject({ ...NOTHING_WRONG, reruns: 1 });
    expect(recoveryTimes([rerun], [{ pid: 100, role: 'worker', at: 1_500 }])).toEqual([7_500]);
  });

  it('finds a task that was reported as canceled and continued', () => {
    const { task, order } = recorded();
    const history = unread(order);
    history.canceled.add('task-1');
    expect(check(history, [task])).toMatchObject({ uncanceled: 1 });
  });

  it('finds an answer that was taken and is gone', () => {
    const { task, order } = recorded();
    const history = unread(order);
    history.answered.set('task-1', new Set(['answer-1']));
    expect(check(history, [task])).toMatchObject({ unheeded: 1 });
  });
});

describe('a reader', () => {
  type Events = Reading['events'];

  function findings(change: (events: Events) => Events): ReturnType<typeof check> {
    const { task, reading, ...rest } = recorded();
    return check(told({ ...rest, reading: { ...reading, events: change(reading.events) } }), [task]);
  }

  it.each<[string, (events: Events) => Events, string]>([
    ['an event again after it resumed', (events) => [...events.slice(0, 4), ...events.slice(3)], 'event 4 came again'],
    ['not all events', (events) => events.filter(({ seq }) => seq !== 4), 'event 5 came after 3'],
    ['not the end', (events) => events.slice(0, -1), 'the last event read is 5 of 6'],
    [
      'events in another order',
      (events) => [...events.slice(0, 3), events[4]!, events[3]!, events[5]!],
      'event 5 came',
    ],
    [
      'what is not stored',
      (events) => [...events.slice(0, 5), { seq: 6, data: '{}' }],
      'event 6 is not what is stored',
    ],
    ['nothing', () => [], 'got nothing'],
  ])('finds a reader that was given %s', (_what, change, fault) => {
    expect(findings(change)).toMatchObject({ misread: 1, faults: [expect.stringContaining(fault)] });
  });

  it('counts nothing as missed by a reader that began late with the state of the task', () => {
    expect(findings((events) => [{ seq: 3, data: '' }, ...events.slice(3)])).toMatchObject(NOTHING_WRONG);
  });

  it('expects nothing of a reader that came after the end, unless it had begun to read', () => {
    const { task, reading, ...rest } = recorded();
    const late = { ...reading, isTooLate: true };
    expect(check(told({ ...rest, reading: { ...late, events: [] } }), [task])).toMatchObject(NOTHING_WRONG);
    const begun = { ...late, events: reading.events.slice(0, 2) };
    expect(check(told({ ...rest, reading: begun }), [task])).toMatchObject({ misread: 1 });
  });

  it('whose stream itself was wrong is found', () => {
    const { task, reading, ...rest } = recorded();
    const history = told({ ...rest, reading: { ...reading, faults: ['resumed elsewhere'] } });
    expect(check(history, [task])).toMatchObject({ misread: 1 });
  });
});

describe('a webhook', () => {
  it('that never got one of the events is found', () => {
    const { task, notices, ...rest } = recorded();
    const history = told({ ...rest, notices: notices.filter(({ seq }) => seq !== 6) });
    expect(check(history, [task])).toMatchObject({ unnoticed: 1, faults: [expect.stringContaining('event 6')] });
  });

  it('may get an event twice: delivery is at least once', () => {
    const { task, notices, ...rest } = recorded();
    expect(check(told({ ...rest, notices: [...notices, ...notices] }), [task])).toMatchObject(NOTHING_WRONG);
  });
});
