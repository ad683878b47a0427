import { EventEmitter } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import { CallLifetime, type Connection } from './call-lifetime.js';
import { LOCAL_PRINCIPAL } from './principal.js';

/** A response with only the members that the lifetime reads. */
function aConnection(): EventEmitter & { destroyed: boolean; writableFinished: boolean } & Pick<Connection, 'on'> {
  return Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false }) as never;
}

describe(CallLifetime.name, () => {
  it('notifies every listener once when the caller disconnects', () => {
    const presence = new CallLifetime();
    const listener = jest.fn();
    presence.whenGone(listener);
    const { signal } = presence;
    expect(signal.aborted).toBe(false);
    presence.leave();
    presence.leave();
    expect([listener.mock.calls.length, signal.aborted]).toEqual([1, true]);
  });

  it('notifies later listeners at once', () => {
    const presence = new CallLifetime();
    presence.leave();
    const listener = jest.fn();
    presence.whenGone(listener);
    expect([listener.mock.calls.length, presence.signal.aborted]).toEqual([1, true]);
  });

  it('notifies no removed listener, and none after the call has ended', () => {
    const presence = new CallLifetime();
    const [first, second] = [jest.fn(), jest.fn()];
    presence.whenGone(first)();
    presence.whenGone(second);
    presence.release();
    presence.leave();
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 0]);
  });

  it('ends once the credential has been expired for the grace period', async () => {
    const presence = new CallLifetime(10);
    presence.limitTo({ ...LOCAL_PRINCIPAL, expiresAt: Date.now() });
    await new Promise<void>((resolve) => presence.whenGone(resolve));
    expect(presence.signal.aborted).toBe(true);
  });

  it('ends with its connection, whether that closes before or after a listener is added', () => {
    const [open, gone] = [aConnection(), aConnection()];
    gone.destroyed = true;
    const [first, second] = [new CallLifetime(0, open), new CallLifetime(0, gone)];
    const listener = jest.fn();
    first.whenGone(listener);
    expect([listener.mock.calls.length, second.signal.aborted]).toEqual([0, true]);
    open.emit('close');
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('does not treat a complete response as a disconnect', () => {
    const connection = Object.assign(aConnection(), { writableFinished: true });
    const presence = new CallLifetime(0, connection);
    const { signal } = presence;
    connection.emit('close');
    expect(signal.aborted).toBe(false);
  });

  it('observes a connection only while it has listeners', () => {
    const connection = aConnection();
    const presence = new CallLifetime(0, connection);
    expect(connection.listenerCount('close')).toBe(0);
    presence.whenGone(() => undefined);
    expect(connection.listenerCount('close')).toBe(1);
  });

  it('handles a credential that lasts for years', () => {
    const presence = new CallLifetime();
    presence.limitTo({ ...LOCAL_PRINCIPAL, expiresAt: Date.now() + 1e13 });
    expect(presence.signal.aborted).toBe(false);
    presence.release();
  });
});
