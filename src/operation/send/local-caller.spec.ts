import { describe, expect, it } from '@jest/globals';
import { Json } from '@parley/protocol/model/json.js';
import { Follower } from '../../task/feed/follower.js';
import type { Following } from '../../task/feed/task-feeds.js';
import { isConclusion, LocalCaller } from './local-caller.js';

const CONCLUSION = { task: Json.ofText<never>('{}'), events: [], endedAt: 0 };

describe(LocalCaller.name, () => {
  /** A caller that may join a feed, and how often it did and read the log. */
  function aCaller(): { caller: LocalCaller; joined: Following[]; read: () => number; replies: () => number } {
    const joined: Following[] = [];
    let reads = 0;
    let replies = 0;
    const expectReply = (): void => {
      replies += 1;
    };
    const page = (): Promise<undefined> => {
      reads += 1;
      return Promise.resolve(undefined);
    };
    const caller = new LocalCaller(() => {
      const follower = new Follower('task', { page });
      const close = (): void => follower.end();
      const following = { follower, tellsAll: () => true, ended: () => undefined, expectReply, close };
      joined.push(following);
      return following;
    });
    return { caller, joined, read: () => reads, replies: () => replies };
  }

  it('has the end of a short run, and joins no feed for it', async () => {
    const { caller, joined } = aCaller();
    caller.concluded(CONCLUSION);
    caller.goesOn();
    caller.over();

    const outcome = await caller.outcome;

    expect(outcome !== undefined && isConclusion(outcome)).toBe(true);
    expect(joined).toHaveLength(0);
  });

  it('joins the feed once, at the moment that the run goes on', async () => {
    const { caller, joined } = aCaller();
    caller.goesOn();
    expect(joined).toHaveLength(1);
    caller.goesOn();
    caller.over();

    expect(await caller.outcome).toBe(joined[0]);
    expect(joined).toHaveLength(1);
  });

  it('reads the log where the run was over without a commit of its own', async () => {
    const { caller, joined, read } = aCaller();
    caller.over();
    const [following] = joined;
    following?.follower.startAfter({ seq: 1, nonce: 'n' });
    const next = following?.follower.next();

    expect(read()).toBe(1);
    following?.close();
    expect(await next).toBeUndefined();
  });

  it('follows by the reply channel where the run was not claimed here', async () => {
    const { caller, joined, replies } = aCaller();
    caller.elsewhere();

    expect(await caller.outcome).toBe(joined[0]);
    expect(replies()).toBe(1);
  });

  it('joins nothing once it has given up', async () => {
    const { caller, joined } = aCaller();
    caller.giveUp();
    caller.goesOn();

    expect(await caller.outcome).toBeUndefined();
    expect(joined).toHaveLength(0);
  });
});
