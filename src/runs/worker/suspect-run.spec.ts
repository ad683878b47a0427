import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { WaitingRun } from '../../tasks/store/fair-queue.js';
import type { ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { RunSlots, type Slot } from './run-slots.js';
import { SuspectRun } from './suspect-run.js';

const NONE = new AbortController().signal;

const waiting = (taskId: string, isSuspect: boolean): WaitingRun => ({ taskId, skillId: '', position: 0, isSuspect });
const [calm, other] = [waiting('calm', false), waiting('other', false)];
const [suspect, second] = [waiting('suspect', true), waiting('second', true)];

/** A suspect whose previous run was lost after 5 s. */
const lost = (losses = 0, suspectMs = 5_000): ClaimedRun =>
  ({ taskId: 'suspect', fence: 7, losses, suspectMs }) as unknown as ClaimedRun;

let slots: RunSlots;
/** What the store was asked to note: '' where a loss is not charged any more. */
let notes: string[];
let frees: number;
let suspects: SuspectRun;

beforeEach(() => {
  jest.useFakeTimers();
  [slots, notes, frees] = [new RunSlots(4, []), [], 0];
  const noteSuspect = async (_run: ClaimedRun, value: string): Promise<void> => {
    notes.push(value);
    return Promise.resolve();
  };
  suspects = new SuspectRun(slots, { notebook: { noteSuspect } } as unknown as RunStore, () => {
    frees += 1;
  });
});

afterEach(() => {
  jest.useRealTimers();
});

const slot = (): Slot => {
  const taken = slots.take('any');
  if (taken === undefined) throw new Error('no slot is free');
  return taken;
};

describe(SuspectRun.name, () => {
  it('chooses the first suspect alone, else the runs that are no suspects', () => {
    expect(suspects.choose([calm, suspect, second])).toEqual([suspect]);
    expect(suspects.choose([calm, other])).toEqual([calm, other]);
    slot();
    suspects.take();
    expect(suspects.choose([calm, suspect])).toEqual([calm]);
  });

  it('begins no other run until a suspect that is alone has outlived its lost run (I17)', async () => {
    slot();
    const place = suspects.take();
    await place.ready(lost(), NONE);
    await jest.advanceTimersByTimeAsync(4_999);
    expect([slots.free, frees, notes]).toEqual([0, 0, []]);
    await jest.advanceTimersByTimeAsync(1);
    // It is proven: its loss from here on is charged to it no more.
    expect([slots.free, frees, notes]).toEqual([3, 1, ['']]);
  });

  it.each([
    ['at once', 0, 3_000],
    ['after a day', 86_400_000, 20_000],
  ])('proves a suspect that was lost %s within 3 to 20 s', async (_when, suspectMs, ms) => {
    slot();
    await suspects.take().ready(lost(0, suspectMs), NONE);
    await jest.advanceTimersByTimeAsync(ms - 1);
    expect(notes).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(notes).toEqual(['']);
  });

  it('charges a suspect with its loss once the runs beside it have ended (I17)', async () => {
    const neighbour = slot();
    slot();
    const ready = suspects.take().ready(lost(), NONE);
    await jest.advanceTimersByTimeAsync(2_000);
    expect([slots.free, notes]).toEqual([0, []]);
    neighbour.release();
    await ready;
    expect([slots.free, notes]).toEqual([0, ['7 5000']]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect([slots.free, notes]).toEqual([3, ['7 5000', '']]);
  });

  it.each([
    [0, 2_500],
    [2, 10_000],
    [20, 80_000],
  ])('waits for the runs beside it, after %i losses %i ms, then begins beside them uncharged', async (losses, ms) => {
    slot();
    slot();
    const ready = suspects.take().ready(lost(losses), NONE);
    await jest.advanceTimersByTimeAsync(ms - 1);
    expect(slots.free).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    await ready;
    expect([slots.free, frees]).toEqual([2, 1]);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(notes).toEqual([]);
  });

  it('waits no longer once its run is stopped', async () => {
    slot();
    slot();
    const stop = new AbortController();
    const ready = suspects.take().ready(lost(), stop.signal);
    stop.abort();
    await ready;
    expect(slots.free).toBe(2);
  });

  it('frees its place once when its run ends, and no proof follows', async () => {
    const own = slot();
    const place = suspects.take();
    await place.ready(lost(), NONE);
    own.release();
    place.leave();
    place.leave();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([slots.free, frees, notes]).toEqual([4, 1, []]);
  });

  it('gives the runs of others as much time as the suspect had, before the next one (I17)', async () => {
    const own = slot();
    const place = suspects.take();
    await jest.advanceTimersByTimeAsync(3_000);
    own.release();
    place.leave();
    await jest.advanceTimersByTimeAsync(2_999);
    expect(suspects.choose([second, calm])).toEqual([calm]);
    await jest.advanceTimersByTimeAsync(1);
    expect(suspects.choose([second, calm])).toEqual([second]);
  });
});
