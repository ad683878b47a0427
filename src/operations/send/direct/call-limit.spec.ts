import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CallLifetime } from '../../../auth/call-lifetime.js';
import { CallLimit } from './call-limit.js';

const never = new Promise<never>(() => undefined);

describe(CallLimit.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends work that exceeds the time limit', async () => {
    const limit = new CallLimit(new CallLifetime(), 100);
    const held = limit.hold(never);
    jest.advanceTimersByTime(100);
    await expect(held).rejects.toThrow('The skill took too long');
    expect([limit.isLate, limit.signal.aborted]).toEqual([true, true]);
  });

  it('ends work whose caller has disconnected, also before it began', async () => {
    const [presence, early] = [new CallLifetime(), new CallLifetime()];
    early.leave();
    const limit = new CallLimit(presence, 100);
    const held = limit.hold(never);
    presence.leave();
    await expect(held).rejects.toThrow('disconnected');
    expect([limit.isLate, limit.signal.aborted]).toEqual([false, true]);
    await expect(new CallLimit(early, 100).hold(never)).rejects.toThrow('disconnected');
  });

  it('ends with its call: nothing is pending or aborted afterwards', async () => {
    const presence = new CallLifetime();
    const limit = new CallLimit(presence, 100);
    await expect(limit.hold(Promise.resolve('done'))).resolves.toBe('done');
    expect(jest.getTimerCount()).toBe(0);
    presence.leave();
    expect(limit.signal.aborted).toBe(false);
  });
});
