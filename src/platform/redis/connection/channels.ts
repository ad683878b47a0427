import { Inject, Injectable, Logger } from '@nestjs/common';
import { SubscriberRedis } from './connections.js';
import { untilAnswered } from './until-answered.js';

export type ChannelListener = (message: string) => void;

/** One call of `listen`. The same function may listen twice; each call is stopped separately. */
interface Listening {
  readonly listener: ChannelListener;
}

/** The process's one subscribing connection, shared: a channel is subscribed while it has listeners. */
@Injectable()
export class Channels {
  private readonly listeners = new Map<string, Set<Listening>>();
  private readonly log = new Logger('Redis');

  constructor(@Inject(SubscriberRedis) private readonly redis: SubscriberRedis) {
    redis.on('message', (channel: string, message: string) => {
      for (const { listener } of this.listeners.get(channel) ?? []) listener(message);
    });
  }

  /** Resolves once the subscription is active: nothing published afterwards is missed. */
  async listen(channel: string, listener: ChannelListener): Promise<() => void> {
    const present = this.listeners.get(channel);
    const listeners = present ?? new Set();
    const listening = { listener };
    listeners.add(listening);
    if (present === undefined) this.listeners.set(channel, listeners);
    const stop = (): void => {
      this.leave(channel, listeners, listening);
    };
    try {
      await this.redis.subscribe(channel);
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  /** Like `listen`, for subscriptions from the start of the process: waits for Redis. */
  async listenFromStart(channel: string, listener: ChannelListener): Promise<() => void> {
    let isSaid = false;
    return untilAnswered(
      () => this.listen(channel, listener),
      (reason) => {
        if (!isSaid) this.log.warn({ event: 'redis.awaited', channel, reason });
        isSaid = true;
      },
    );
  }

  private leave(channel: string, listeners: Set<Listening>, listening: Listening): void {
    if (!listeners.delete(listening) || listeners.size > 0) return;
    this.listeners.delete(channel);
    // A failed unsubscribe costs a few ignored messages; the connection subscribes anew to nothing after a reconnect.
    this.redis.unsubscribe(channel).catch(() => undefined);
  }
}
