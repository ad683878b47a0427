import type { FeedReader } from '../../../src/registry/feed/feed-reader.js';
import type { RegistryFeed } from '../../../src/registry/feed/registry-feed.js';
import { OWNER } from './registry-world.js';

export type FeedFrame = Exclude<Awaited<ReturnType<FeedReader['next']>>['value'], void>;

/** An open feed whose events are taken as they come. */
export interface FollowedFeed {
  readonly frames: readonly FeedFrame[];
  /** `<change> <name of the agent>` of each event. */
  readonly words: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** Follows the feed of a client of the tenant `acme`. @param after the id of an event; without: from now on */
export async function followFeed(feed: RegistryFeed, client: string, after?: string): Promise<FollowedFeed> {
  return taken(await feed.open({ ...OWNER, client }, after));
}

/** Takes what a reader gives, for as long as it is open. */
export function taken(reader: FeedReader): FollowedFeed {
  const frames: FeedFrame[] = [];
  const reading = (async () => {
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) frames.push(next.value);
  })();
  return {
    frames,
    words: () => frames.map(wordsOf),
    close: async () => {
      await reader.return();
      await reading;
    },
  };
}

/** All that a client can have from a feed behind an event, without waiting for more. */
export async function readFeed(feed: RegistryFeed, client: string, after: string): Promise<readonly FeedFrame[]> {
  const { frames, close } = await followFeed(feed, client, after);
  await settled();
  await close();
  return frames;
}

/** Resolves when everything has run that waited for nothing but other promises. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The agents that a client knows of after these events. */
export function agentsAfter(frames: readonly FeedFrame[]): readonly string[] {
  const agents = new Set<string>();
  for (const { event } of frames) {
    if (event.change === 'listed') agents.add(event.identifier);
    if (event.change === 'gone') agents.delete(event.identifier);
  }
  return [...agents].sort();
}

export function wordsOf({ event }: FeedFrame): string {
  return event.change === 'reset' ? event.change : `${event.change} ${event.identifier.split(':').at(-1) ?? ''}`;
}
