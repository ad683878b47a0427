import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anEntry } from '../../../test/kit/registry/registry-entries.js';
import { agentsAfter, type FeedFrame, settled, taken } from '../../../test/kit/registry/registry-events.js';
import { changeOf, concerns } from '../entry/agent-change.js';
import { isVisibleTo, type RegistryEntry, UNKNOWN_HEALTH } from '../entry/registry-entry.js';
import { FEED_BOUNDS, type FeedChange } from '../store/registry.store.js';
import { FeedReader } from './feed-reader.js';
import { KeptChanges } from './kept-changes.js';

const CLIENTS = ['owner', 'friend', 'stranger'];
const STATES: readonly (RegistryEntry | undefined)[] = [
  undefined,
  anEntry({ state: 'proposed' }),
  anEntry({ state: 'approved' }),
  anEntry({ state: 'approved', visibility: { kind: 'clients', clients: [] } }),
  anEntry({ state: 'approved', visibility: { kind: 'clients', clients: ['friend'] } }),
  anEntry({ state: 'suspended' }),
];

/** Agents and their next states; a number without a state is a new health. */
const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(STATES.length)), { maxLength: 40 });

interface History {
  readonly changes: readonly FeedChange[];
  /** The agents visible to a client at the end, by name. */
  readonly found: (client: string) => readonly string[];
}

function historyOf(all: readonly (readonly [string, number])[]): History {
  const entries = new Map<string, RegistryEntry | undefined>();
  const changes = all.flatMap(([identifier, step]) => {
    const before = entries.get(identifier);
    const after = step === STATES.length ? before : STATES[step];
    entries.set(identifier, after);
    return changeOf(identifier, before, after, step === STATES.length ? { health: 'failing' } : {}) ?? [];
  });
  return {
    changes: numbered(changes),
    found: (client) =>
      [...entries]
        .flatMap(([identifier, entry]) =>
          entry !== undefined && isVisibleTo({ entry, health: UNKNOWN_HEALTH }, client) ? [identifier] : [],
        )
        .sort(),
  };
}

function numbered(changes: readonly FeedChange['change'][]): readonly FeedChange[] {
  return changes.map((change, at) => ({ seq: at + 1, change, bytes: 100 }));
}

function kept(changes: readonly FeedChange[]): KeptChanges {
  const all = new KeptChanges();
  all.append(changes);
  return all;
}

/** A reader whose events are consumed as they arrive. @param after id of an event; absent: from now on */
function follow(changes: KeptChanges, client: string, after?: string) {
  const reader = new FeedReader(changes, client);
  if (after !== undefined) reader.resume(after);
  return { reader, ...taken(reader) };
}

/** All events for a client after a given one, without waiting for more. */
async function read(changes: KeptChanges, client: string, after: string): Promise<readonly FeedFrame[]> {
  const { frames, close } = follow(changes, client, after);
  await settled();
  await close();
  return frames;
}

describe(FeedReader.name, () => {
  it('leads every client to the agents that it can see, independently of other changes', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(...CLIENTS), async (all, client) => {
        const { changes, found } = historyOf(all);
        const frames = await read(kept(changes), client, 'start');
        expect(agentsAfter(frames)).toEqual(found(client));
        const own = numbered(changes.map(({ change }) => change).filter((change) => concerns(change, client)));
        expect(await read(kept(own), client, 'start')).toEqual(frames);
        expect(kept(own).lastIdFor(client)).toBe(kept(changes).lastIdFor(client));
      }),
    );
  });

  it('resumes after every event without a gap and without a repetition', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(...CLIENTS), async (all, client) => {
        const changes = kept(historyOf(all).changes);
        const frames = await read(changes, client, 'start');
        for (const [at, { id }] of frames.entries()) {
          expect(await read(changes, client, id)).toEqual(frames.slice(at + 1));
        }
      }),
    );
  });

  it('notifies a reader that keeps up of exactly the agents visible to it at every moment', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(...CLIENTS), async (all, client) => {
        const changes = new KeptChanges();
        const { reader, frames, close } = follow(changes, client);
        await settled();
        for (const at of all.keys()) {
          const { changes: sofar, found } = historyOf(all.slice(0, at + 1));
          changes.append(sofar.slice(changes.last?.seq ?? 0));
          reader.wake();
          await settled();
          expect(agentsAfter(frames)).toEqual(found(client));
        }
        await close();
        expect(frames.map(({ name }) => name).filter((name) => name === 'reset')).toEqual(['reset']);
      }),
      { numRuns: 30 },
    );
  });

  it('begins with a reset, from which it resumes although no event followed', async () => {
    const [first, second] = historyOf([
      ['a', 2],
      ['b', 4],
    ]).changes;
    if (first === undefined || second === undefined) throw new Error('both are changes');
    const changes = kept([first]);
    const { reader, frames, close } = follow(changes, 'stranger');
    await settled();
    changes.append([second]);
    reader.wake();
    await settled();
    expect(frames).toMatchObject([{ id: first.change.id, name: 'reset', event: { change: 'reset' } }]);
    await close();
    expect(await read(changes, 'stranger', first.change.id)).toEqual([]);
    expect(await read(changes, 'friend', first.change.id)).toMatchObject([{ name: 'listed' }]);
  });

  it('buffers nothing for a slow reader: beyond the bounds it begins anew', async () => {
    const changes = new KeptChanges();
    const reader = new FeedReader(changes, 'friend');
    await reader.next();
    const many = historyOf(Array.from({ length: FEED_BOUNDS.changes + 1 }, () => ['a', 2] as const)).changes;
    changes.append(many);
    expect((await reader.next()).value).toMatchObject({ name: 'reset', id: many.at(-1)?.change.id });
    expect(await read(changes, 'friend', many[0]?.change.id ?? '')).toMatchObject([{ name: 'reset' }]);
    expect(await read(changes, 'friend', many[1]?.change.id ?? '')).toHaveLength(FEED_BOUNDS.changes - 1);
    const large = { ...many[0], bytes: FEED_BOUNDS.bytes, seq: (changes.last?.seq ?? 0) + 1 } as FeedChange;
    changes.append([large]);
    expect([changes.last, changes.reaches({ seq: large.seq - 1, id: 'x' })]).toEqual([large, false]);
  });

  it.each([
    ['an unknown id', 'nonsense'],
    ['the beginning, of which the first changes are gone', 'start'],
  ])('resets behind %s', async (_what, id) => {
    const { changes } = historyOf([
      ['a', 2],
      ['b', 2],
    ]);
    expect(await read(kept(changes.slice(1)), 'friend', id)).toMatchObject([{ name: 'reset' }]);
  });

  it('ends while it waits, and after it has ended', async () => {
    const reader = new FeedReader(new KeptChanges(), 'friend');
    let closed = 0;
    reader.onClose(() => (closed += 1));
    await reader.next();
    const waiting = reader.next();
    await reader.return();
    await reader.return();
    expect([await waiting, await reader.next(), closed]).toEqual([{ done: true }, { done: true }, 1]);
    reader.onClose(() => (closed += 1));
    expect(closed).toBe(2);
  });
});
