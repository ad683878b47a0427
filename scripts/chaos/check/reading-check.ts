import type { Reading } from '../load/history.js';
import type { StoredTask } from './stored-tasks.js';

/**
 * Faults of a reader's events: from its first event on it must have each stored event once, in order, as
 * it is stored, to the end, however often it was cut off.
 */
export function readingFaults(reading: Reading, task: StoredTask | undefined): readonly string[] {
  const { events, faults, taskId = 'a task that never began' } = reading;
  const [first] = events;
  if (reading.isTooLate === true && first === undefined && task !== undefined) return faults;
  if (task === undefined || first === undefined) return [...faults, `a reader of ${taskId} got nothing that is stored`];
  return [...faults, ...orderFaults(events), ...contentFaults(events, task)].map((fault) => `${taskId}: ${fault}`);
}

function orderFaults(events: Reading['events']): readonly string[] {
  return events.slice(1).flatMap(({ seq }, at) => {
    const before = events[at]?.seq ?? 0;
    if (seq === before + 1) return [];
    return [seq <= before ? `event ${seq} came again after ${before}` : `event ${seq} came after ${before}`];
  });
}

function contentFaults(events: Reading['events'], task: StoredTask): readonly string[] {
  const stored = new Map(task.events.map(({ seq, event }) => [seq, JSON.stringify(event)]));
  const changed = events.filter(({ seq, data }, at) => !(at === 0 && data === '') && stored.get(seq) !== data);
  const last = task.events.at(-1)?.seq;
  return [
    ...changed.map(({ seq }) => `event ${seq} is not what is stored`),
    ...(events.at(-1)?.seq === last ? [] : [`the last event read is ${events.at(-1)?.seq ?? 0} of ${last ?? 0}`]),
  ];
}
