import type { ServerResponse } from 'node:http';
import type { Blocks } from '../blocks/blocks.js';
import type { Principal } from './principal.js';

/** Time by which a caller may outlive its credential; then it must reconnect with a new one. */
const GRACE_MS = 30_000;
/** Timers hold at most 2^31 - 1 ms; a longer connection ends for other reasons. */
const MAX_TIMER_MS = 2_147_483_647;

/** The part of an HTTP response that shows a disconnect. */
export type Connection = Pick<ServerResponse, 'destroyed' | 'writableFinished' | 'on'>;

/**
 * Aborted when the connection closes, when the credential has been expired for the grace period, or when the caller is
 * blocked. Every call has one but few use it, so listeners, timer and signal are created on first use.
 */
export class CallLifetime {
  private listeners: Set<() => void> | undefined;
  private controller: AbortController | undefined;
  private expiry: NodeJS.Timeout | undefined;
  private caller: Principal | undefined;
  private unwatch: (() => void) | undefined;
  private isGone = false;

  /**
   * @param graceMs time by which the caller may outlive its credential
   * @param connection whose close ends the lifetime; absent where the owner calls `leave`
   * @param blocks absent: a block does not end it
   */
  constructor(
    private readonly graceMs = GRACE_MS,
    private readonly connection?: Connection,
    private readonly blocks?: Pick<Blocks, 'whenBlocked'>,
  ) {}

  /** Ends with the caller's credential, and when the caller is blocked. */
  limitTo(caller: Principal): void {
    this.caller = caller;
  }

  /** Aborted when the caller is gone. Use a listener where no signal is needed: it is cheaper. */
  get signal(): AbortSignal {
    return (this.controller ?? this.newController()).signal;
  }

  /** Calls back once the caller is gone, at once if it is already. The returned function removes the listener. */
  whenGone(listener: () => void): () => void {
    const listeners = this.listeners ?? this.watch();
    if (this.isGone) listener();
    else listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  /** The caller is gone. */
  leave(): void {
    this.isGone = true;
    const called = [...(this.listeners ?? [])];
    this.release();
    for (const listener of called) listener();
  }

  /** Ends the lifetime with its call: no listener is called any more. */
  release(): void {
    clearTimeout(this.expiry);
    this.unwatch?.();
    this.listeners?.clear();
  }

  private newController(): AbortController {
    const controller = new AbortController();
    this.controller = controller;
    this.whenGone(() => {
      controller.abort();
    });
    return controller;
  }

  /** Starts to observe connection and credential. */
  private watch(): Set<() => void> {
    const listeners = new Set<() => void>();
    this.listeners = listeners;
    this.watchConnection();
    const { caller } = this;
    if (this.isGone || caller === undefined) return listeners;
    this.watchCaller(caller);
    return listeners;
  }

  private watchCaller(caller: Principal): void {
    const leave = (): void => {
      this.leave();
    };
    this.unwatch = this.blocks?.whenBlocked(caller, leave);
    if (this.isGone || caller.expiresAt === undefined) return;
    const left = Math.min(Math.max(0, caller.expiresAt + this.graceMs - Date.now()), MAX_TIMER_MS);
    this.expiry = setTimeout(leave, left).unref();
  }

  /** A closed response emits no further event, but stays `destroyed`. */
  private watchConnection(): void {
    const { connection } = this;
    if (connection === undefined) return;
    const close = (): void => {
      if (connection.writableFinished) this.release();
      else this.leave();
    };
    if (connection.destroyed) close();
    else connection.on('close', close);
  }
}
