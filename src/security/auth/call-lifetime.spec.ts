import { describe, expect, it, jest } from '@jest/globals';
import { CallLifetime } from './call-lifetime.js';

describe(CallLifetime.name, () => {
  it('tells everybody who asked, once, when the caller leaves', () => {
    const presence = new CallLifetime();
    const listener = jest.fn();
    presence.whenGone(listener);
    const { signal } = presence;
    expect(signal.aborted).toBe(false);
    presence.leave();
    presence.leave();
    expect([listener.mock.calls.length, signal.aborted]).toEqual([1, true]);
  });

  it('tells those who ask later at once', () => {
    const presence = new CallLifetime();
    presence.leave();
    const listener = jest.fn();
    presence.whenGone(listener);
    expect([listener.mock.calls.length, presence.signal.aborted]).toEqual([1, true]);
  });

  it('tells nobody who gave up, and nobody once the call is over', () => {
    const presence = new CallLifetime();
    const [first, second] = [jest.fn(), jest.fn()];
    presence.whenGone(first)();
    presence.whenGone(second);
    presence.release();
    presence.leave();
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 0]);
  });

  it('ends once the credential has been over for the time of grace', async () => {
    const presence = new CallLifetime(10);
    presence.limitTo({ expiresAt: Date.now() });
    await new Promise<void>((resolve) => presence.whenGone(resolve));
    expect(presence.signal.aborted).toBe(true);
  });

  it('waits for a credential that lasts for years', () => {
    const presence = new CallLifetime();
    presence.limitTo({ expiresAt: Date.now() + 1e13 });
    expect(presence.signal.aborted).toBe(false);
    presence.release();
  });
});
