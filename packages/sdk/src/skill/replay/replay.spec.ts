import { describe, expect, it, jest } from '@jest/globals';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../../../test/kit/run/eventually.js';
import { Journal, type JournalCall, type JournalMismatch, type JournalResult } from './journal.js';
import { Replay } from './replay.js';
import type { OpenWait, ReplayHost } from './replay-host.js';

/** Records the calls of a replay to its host. */
class Host implements ReplayHost {
  readonly idles: (readonly OpenWait[])[] = [];
  readonly faults: JournalMismatch[] = [];
  replay: Replay | undefined;

  opened(): void {
    // The tests end waits themselves.
  }

  idle(): void {
    this.idles.push(this.replay?.openWaits ?? []);
  }

  broke(error: JournalMismatch): void {
    this.faults.push(error);
  }
}

/** Counts how often it is read. */
class CountedJournal extends Journal {
  reads = 0;

  override call(number: number): JournalCall | undefined {
    this.reads += 1;
    return super.call(number);
  }

  override result(number: number): JournalResult | undefined {
    this.reads += 1;
    return super.result(number);
  }
}

function aReplay(journal = new Journal()): { readonly host: Host; readonly replay: Replay } {
  const host = new Host();
  const replay = new Replay(host, journal);
  host.replay = replay;
  void replay.beforePull();
  return { host, replay };
}

const answer =
  (text: string, ms = 0) =>
  async () => {
    await pause(ms);
    return { value: text, json: text };
  };
const asIs = (json: string | undefined): unknown => json;

/** The same journal as the next run reads it. */
function stored({ journal }: Replay): Journal {
  return new Journal(journal.texts);
}

describe(Replay.name, () => {
  it('answers calls from the journal, and makes those that come after it', async () => {
    const first = aReplay();
    expect(await first.replay.ask('read a', answer('1'), asIs)).toBe('1');

    const { replay } = aReplay(stored(first.replay));
    expect(await replay.ask('read a', answer('other'), asIs)).toBe('1');
    expect(await replay.ask('read b', answer('2'), asIs)).toBe('2');
  });

  it('gives results in the order of the first run, whatever the order of the calls', async () => {
    const orderOf = async (replay: Replay, slowMs: number): Promise<readonly string[]> => {
      const order: string[] = [];
      const branch = async (name: string, ms: number) => {
        await replay.ask(`read ${name}`, answer(name, ms), asIs);
        order.push(name);
        await replay.ask(`read after ${name}`, answer(name), asIs);
      };
      await Promise.all([branch('slow', slowMs), branch('quick', 5)]);
      return order;
    };
    const first = aReplay();
    expect(await orderOf(first.replay, 30)).toEqual(['quick', 'slow']);
    const { replay, host } = aReplay(stored(first.replay));
    expect(await orderOf(replay, 0)).toEqual(['quick', 'slow']);
    expect(host.faults).toEqual([]);
  });

  it('holds the skill back until it has the results that it had before it continued', async () => {
    const first = aReplay();
    const read = first.replay.ask('read a', answer('1'), asIs);
    await read;
    void first.replay.beforePull();

    const { replay } = aReplay(stored(first.replay));
    const held = replay.beforePull();
    expect(held).toBeInstanceOf(Promise);
    void replay.ask('read a', answer('other'), asIs);
    await held;
    expect(replay.pullCount).toBe(2);
  });

  it('keeps an error after which the skill continued, and throws it again', async () => {
    const first = aReplay();
    const fails = () => Promise.reject(new TypeError('no such file'));
    await expect(first.replay.ask('read a', fails, asIs)).rejects.toThrow('no such file');

    const { replay } = aReplay(stored(first.replay));
    await expect(replay.ask('read a', answer('1'), asIs)).rejects.toMatchObject({
      name: 'TypeError',
      message: 'no such file',
    });
  });

  it('is idle when nothing but waits is left, and not while a call works', async () => {
    const { host, replay } = aReplay();
    void replay.wait({ what: 'sleep 10', until: 10 }, asIs);
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const working = replay.ask('read a', () => held.then(answer('1')), asIs);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(host.idles).toEqual([]);
    finish();
    await working;
    await eventually(() =>
      expect(host.idles).toEqual([[{ number: 0, until: 10, signal: undefined, isForChildren: false }]]),
    );
  });

  it('keeps the time of a wait over runs, and ends it with the value of its host', async () => {
    const first = aReplay();
    void first.replay.wait({ what: 'sleep 10', until: 10 }, asIs);

    const { replay } = aReplay(stored(first.replay));
    const waiting = replay.wait({ what: 'sleep 10', until: 99 }, asIs);
    expect(replay.openWaits).toMatchObject([{ until: 10 }]);
    replay.give(0, { value: 'over' });
    expect(await waiting).toBe('over');
  });

  it('answers a race as it was answered first, although the other wait has ended by now', async () => {
    const race = (replay: Replay) =>
      Promise.race([
        replay.wait({ what: 'sleep 10', until: 10 }, () => 'time'),
        replay.wait({ what: 'waitFor *', until: 99, signal: '*' }, () => 'message'),
      ]);
    const first = aReplay();
    const winner = race(first.replay);
    first.replay.give(1, { value: 'message' });
    expect(await winner).toBe('message');

    const { replay } = aReplay(stored(first.replay));
    const again = race(replay);
    await pause(1);
    replay.give(0, { value: 'time' });
    expect(await again).toBe('message');
  });

  it('says which call of the journal a changed skill does not make', async () => {
    const first = aReplay();
    void first.replay.wait({ what: 'sleep 10', until: 10 }, asIs);

    const { host, replay } = aReplay(stored(first.replay));
    void replay.ask('state.get approved', answer('1'), asIs);
    expect(host.faults).toMatchObject([{ number: 1, recorded: 'sleep 10', asked: 'state.get approved' }]);
    expect(host.faults[0]?.message).toContain('call 1 of this turn was "sleep 10", and is "state.get approved" now');
  });

  it('knows that a turn ends before it has made all calls of the journal', () => {
    const first = aReplay();
    void first.replay.wait({ what: 'sleep 10', until: 10 }, asIs);

    const { replay } = aReplay(stored(first.replay));
    expect(replay.leftOver).toMatchObject({ number: 1, asked: 'the end of the turn' });
  });

  it('records time and chance once', async () => {
    const first = aReplay();
    await first.replay.instant('now', () => 1);

    const { replay } = aReplay(stored(first.replay));
    expect(await replay.instant('now', () => 2)).toBe(1);
    expect(await replay.instant('random', () => 3)).toBe(3);
  });

  it('continues after a call made while it was held, once it is free', async () => {
    const { replay } = aReplay();
    replay.hold();
    const read = replay.ask('read a', answer('1'), asIs);
    const held = replay.afterPull();
    replay.free();
    await held;
    expect(await read).toBe('1');
  });

  it('repeats each of a thousand calls in one turn of the event loop, with three reads of the journal', async () => {
    const first = aReplay();
    for (let at = 0; at < 1_000; at += 1)
      await first.replay.ask(`read ${at}`, () => Promise.resolve({ json: '1' }), asIs);
    const journal = new CountedJournal(first.replay.journal.texts);
    const { replay } = aReplay(journal);
    const turns = jest.spyOn(globalThis, 'setImmediate');
    for (let at = 0; at < 1_000; at += 1) await replay.ask(`read ${at}`, answer('other'), asIs);
    expect(turns.mock.calls.length).toBeLessThanOrEqual(1_000);
    // And one when the skill is asked for its first event.
    expect(journal.reads).toBeLessThanOrEqual(3_001);
    turns.mockRestore();
  });
});
