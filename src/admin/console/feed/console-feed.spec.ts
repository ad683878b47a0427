import { describe, expect, it } from '@jest/globals';
import type { TenantTask } from '../../../tasks/lists/tenant-index.js';
import { ConsoleFeed } from './console-feed.js';

const ROW: TenantTask = {
  ...{ id: 'a', state: 'TASK_STATE_FAILED', skill: 's', updated: '', created: '', owner: 'o', client: 'c' },
  ...{ contextId: 'x', events: 1, attempts: 1, bytes: 1 },
};
const fault = { type: 'TypeError', message: 'x is undefined' };

describe(ConsoleFeed.name, () => {
  it.each([
    ['with a reason and an error', { reason: 'Failed.', fault }],
    ['with an error alone', { fault }],
    ['with a reason alone', { reason: 'Failed.' }],
  ])('shows why a task failed to viewers that may read tasks only: %s (C-1)', async (_which, failure) => {
    const rowFor = async (hasReasons: boolean): Promise<TenantTask | undefined> => {
      const feed = new ConsoleFeed({}, hasReasons);
      feed.watcher.onNews({ states: {}, tasks: [{ ...ROW, ...failure }], isMore: false });
      const { value } = await feed.next();
      await feed.return();
      return value?.event.tasks?.[0];
    };
    expect(await rowFor(true)).toEqual({ ...ROW, ...failure });
    expect(await rowFor(false)).toEqual(ROW);
  });
});
