import { describe, expect, it } from '@jest/globals';
import { brokenAt, digestOfEvent, EMPTY_LOG, type LogEvent, type LogHead, nextEvent } from './registry-log.js';

function aLog(length: number): { readonly events: readonly LogEvent[]; readonly head: LogHead } {
  let head = EMPTY_LOG;
  const events = Array.from({ length }, (_unused, at) => {
    const event = nextEvent(head, `2026-01-01T00:00:0${String(at)}Z`, {
      ...{ action: 'approved', subject: `urn:air:a.example:agent:${String(at)}`, by: { client: 'c' } },
    });
    head = { seq: event.seq, digest: digestOfEvent(event) };
    return event;
  });
  return { events, head };
}

describe(brokenAt, () => {
  it('is silent about a log that is whole, from any event on', () => {
    const { events, head } = aLog(5);
    for (let from = 0; from <= 5; from += 1) expect(brokenAt(events.slice(from), head)).toBeUndefined();
  });

  it('finds a changed event, one that is gone, two that are swapped, and an end that is cut off', () => {
    const { events, head } = aLog(5);
    const [one, two, three, four, five] = events as [LogEvent, LogEvent, LogEvent, LogEvent, LogEvent];
    expect(brokenAt([one, { ...two, by: { client: 'other' } }, three, four, five], head)).toBe(2);
    expect(brokenAt([one, two, four, five], head)).toBe(2);
    expect(brokenAt([one, three, two, four, five], head)).toBe(1);
    expect(brokenAt([one, two, three, four], head)).toBe(4);
    expect(brokenAt([one, two, three, four, { ...five, why: 'x' }], head)).toBe(5);
  });
});
