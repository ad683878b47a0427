import { describe, expect, it } from '@jest/globals';
import { Follower } from '../../task/feed/follower.js';
import type { Following } from '../../task/feed/task-feeds.js';
import { RemoteCaller } from './remote-caller.js';

describe(RemoteCaller.name, () => {
  /** A caller that may join a feed, and the feeds that it has joined. */
  function aCaller(): { readonly caller: RemoteCaller; readonly joined: readonly Following[] } {
    const joined: Following[] = [];
    const nothing = (): void => undefined;
    const caller = new RemoteCaller(() => {
      const follower = new Follower('task', { page: () => Promise.resolve(undefined) });
      const following = {
        follower,
        tellsAll: () => true,
        ended: () => undefined,
        expectReply: nothing,
        close: nothing,
      };
      joined.push(following);
      return following;
    });
    return { caller, joined };
  }

  it('has the end of a short run, and joins no feed for it', async () => {
    const { caller, joined } = aCaller();
    caller.ended('{"id":"t"');
    caller.goesOn();
    caller.giveUp();

    expect(await caller.outcome).toEqual({ head: '{"id":"t"' });
    expect(joined).toHaveLength(0);
  });

  it('joins the feed once, at the moment that the run goes on', async () => {
    const { caller, joined } = aCaller();
    caller.goesOn();
    expect(joined).toHaveLength(1);
    caller.goesOn();
    caller.ended('{"id":"t"');

    expect(await caller.outcome).toBe(joined[0]);
    expect(joined).toHaveLength(1);
  });

  it('joins nothing once it has given up', async () => {
    const { caller, joined } = aCaller();
    caller.giveUp();
    caller.goesOn();

    expect(await caller.outcome).toBeUndefined();
    expect(joined).toHaveLength(0);
  });
});
