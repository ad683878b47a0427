import type { IncomingHttpHeaders } from 'node:http';
import type { StreamResponse } from '@parley/protocol/model/event.js';

/** One webhook as it arrived. */
export interface Arrival {
  readonly id: string;
  readonly taskId: string;
  readonly seq: number;
  readonly body: string;
  /** Ms since the epoch. */
  readonly at: number;
}

export function arrivalOf(headers: IncomingHttpHeaders, body: string): Arrival {
  return {
    id: String(headers['webhook-id']),
    taskId: String(headers['x-a2a-task-id']),
    seq: Number(headers['x-a2a-event-seq']),
    body,
    at: Date.now(),
  };
}

export interface OrderFindings {
  /** Events that never arrived. */
  readonly missing: number;
  /** Arrivals of an event that had arrived before. */
  readonly repeated: number;
  /** Events that arrived first after a later one of their task. */
  readonly reordered: number;
  /** Ids under which two different bodies arrived. */
  readonly changed: number;
}

/** Compares arrived with committed events: per task, numbered 1, 2, 3 … */
export function compare(arrivals: readonly Arrival[], committed: ReadonlyMap<string, number>): OrderFindings {
  const bodies = new Map<string, string>();
  const highest = new Map<string, number>();
  let [repeated, reordered, changed] = [0, 0, 0];
  for (const { id, taskId, seq, body } of arrivals) {
    const known = bodies.get(id);
    if (known === undefined) {
      if (seq < (highest.get(taskId) ?? 0)) reordered += 1;
      highest.set(taskId, Math.max(seq, highest.get(taskId) ?? 0));
      bodies.set(id, body);
    } else {
      repeated += 1;
      if (known !== body) changed += 1;
    }
  }
  const arrived = new Set(arrivals.map(({ taskId, seq }) => `${taskId} ${String(seq)}`));
  const expected = [...committed].flatMap(([taskId, count]) =>
    Array.from({ length: count }, (_unused, n) => `${taskId} ${String(n + 1)}`),
  );
  return { missing: expected.filter((event) => !arrived.has(event)).length, repeated, reordered, changed };
}

/** From the commit of a status to its arrival, in ms; other events do not say when they were committed. */
export function delays(arrivals: readonly Arrival[]): readonly number[] {
  return arrivals.flatMap(({ body, at }) => {
    const event = JSON.parse(body) as StreamResponse;
    return 'statusUpdate' in event ? [at - Date.parse(event.statusUpdate.status.timestamp)] : [];
  });
}
