import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Json } from '@parley/protocol/model/json.js';
import { Channels } from '../../platform/redis/connection/channels.js';
import { ProcessIdentity } from '../../platform/redis/process-identity.js';
import { EventLog, type LoggedEvent, WATCH_MS } from '../commit/event-log.js';
import { LiveEvents } from '../commit/live-events.js';
import { TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { stateOf } from './event-state.js';
import { Follower } from './follower.js';

/** Live messages may be lost; after this silence the log is polled. */
const SILENCE_MS = 3_000;
const ASKED_AT_ONCE = 250;
const NEW_FEED = { hasReply: false, hasEnded: false };

interface Feed {
  readonly followers: Set<Follower>;
  /** Whether messages arrived since the last read of the log. */
  received: boolean;
  stopListening: (() => void) | undefined;
  /** Whether the task has changed without an event: a message arrived, or it has used language models. */
  hasChanged: boolean;
  /** Whether the task sends its events to this process, which created it and did not run it. */
  hasReply: boolean;
  /** Whether the task's last event was received. */
  hasEnded: boolean;
  /** Time of the last registration of this process as a reader, ms since 1970. */
  watchedAt: number;
}

/** An open subscription of a task's feed. */
export interface Following {
  readonly follower: Follower;
  /** Whether the events contain all changes of the task, as far as this process knows. */
  readonly tellsAll: () => boolean;
  /** Marks the task as stored with this process's reply channel. */
  readonly expectReply: () => void;
  readonly close: () => void;
}

/**
 * Delivers the events of tasks from Redis pub/sub to the subscribers of this process. Pub/sub may lose messages: a
 * message that continues the sequence is passed on unchanged, and missing events are read from the log slightly later.
 */
@Injectable()
export class TaskFeeds implements OnApplicationBootstrap, OnModuleDestroy {
  /** The channel with the events of tasks that this process created. */
  readonly replyChannel: string;
  private readonly keys: TaskKeys;
  private readonly feeds = new Map<string, Feed>();
  private silence: NodeJS.Timeout | undefined;
  private isLeaving = false;

  constructor(
    private readonly channels: Channels,
    private readonly log: EventLog,
    live: LiveEvents,
    identity: ProcessIdentity,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
    this.replyChannel = this.keys.process(identity.id);
    live.listen((taskId, events) => {
      const feed = this.feeds.get(taskId);
      if (feed === undefined) return;
      for (const event of events()) this.pass(feed, event);
    });
    live.listenForLeaves((taskId) => {
      this.listenElsewhere(taskId);
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.channels.listenFromStart(this.replyChannel, this.receive);
    this.silence = setInterval(() => void this.askLog(), SILENCE_MS);
    this.silence.unref();
  }

  /** Ends all subscribers, and every later one right after the current task. */
  onModuleDestroy(): void {
    this.isLeaving = true;
    clearInterval(this.silence);
    for (const feed of this.feeds.values()) for (const follower of feed.followers) follower.end();
  }

  /**
   * Follows a task that this process is about to create with its reply channel: no subscription of its own is needed.
   */
  followOwn(taskId: string): Following {
    return this.followed(taskId, this.feedOf(taskId));
  }

  /** Follows a task from now on; its snapshot must be read after this, so that no event is missed in between. */
  async follow(taskId: string): Promise<Following> {
    const feed = this.feedOf(taskId);
    const following = this.followed(taskId, feed);
    try {
      await this.subscribe(taskId, feed);
    } catch (error) {
      following.close();
      throw error;
    }
    return following;
  }

  /**
   * A run of this process has released its task: subscribes to the channel, since the next events may come from another
   * process.
   */
  private listenElsewhere(taskId: string): void {
    const feed = this.feeds.get(taskId);
    if (feed === undefined || feed.hasEnded) return;
    this.subscribe(taskId, feed)
      .then(() => this.hint([[taskId, feed]]))
      .catch(() => undefined);
  }

  private async subscribe(taskId: string, feed: Feed): Promise<void> {
    if (feed.stopListening !== undefined) return;
    const stop = await this.channels.listen(this.keys.task(taskId), this.receive);
    if (this.needsSubscription(taskId, feed)) feed.stopListening = stop;
    else stop();
  }

  /** Two readers may subscribe at once, and the feed may have closed meanwhile. */
  private needsSubscription(taskId: string, feed: Feed): boolean {
    return this.feeds.get(taskId) === feed && feed.stopListening === undefined;
  }

  private feedOf(taskId: string): Feed {
    const present = this.feeds.get(taskId);
    if (present !== undefined) return present;
    const feed: Feed = {
      followers: new Set(),
      received: true,
      stopListening: undefined,
      hasChanged: false,
      ...NEW_FEED,
      watchedAt: Date.now(),
    };
    this.feeds.set(taskId, feed);
    return feed;
  }

  private followed(taskId: string, feed: Feed): Following {
    const follower = new Follower(taskId, this.log);
    feed.followers.add(follower);
    if (this.isLeaving) follower.end();
    return {
      follower,
      tellsAll: () => !feed.hasChanged,
      expectReply: () => {
        feed.hasReply = true;
      },
      close: () => {
        follower.end();
        if (!feed.followers.delete(follower) || feed.followers.size > 0) return;
        if (this.feeds.get(taskId) === feed) this.feeds.delete(taskId);
        if (feed.hasReply && !feed.hasEnded) this.leave(taskId);
        feed.stopListening?.();
      },
    };
  }

  /** A line per event, as written by lua/lib/hooks/publish.lua. */
  private readonly receive = (lines: string): void => {
    for (const line of lines.split('\n')) this.receiveEvent(line);
  };

  /** `<task id> <seq> <nonce> <event>`; 0 is a change without an event (lua/lib/hooks/publish.lua). */
  private receiveEvent(message: string): void {
    const taskEnd = message.indexOf(' ');
    const taskId = message.slice(0, taskEnd);
    const feed = this.feeds.get(taskId);
    if (feed === undefined) return;
    const seqEnd = message.indexOf(' ', taskEnd + 1);
    const nonceEnd = message.indexOf(' ', seqEnd + 1);
    const name = { seq: Number(message.slice(taskEnd + 1, seqEnd)), nonce: message.slice(seqEnd + 1, nonceEnd) };
    this.pass(feed, { ...name, event: Json.ofText<never>(message.slice(nonceEnd + 1)) });
  }

  private pass(feed: Feed, event: LoggedEvent): void {
    feed.received = true;
    if (event.seq === 0) {
      feed.hasChanged = true;
      return;
    }
    const state = stateOf(event.event);
    if (state !== undefined && isTerminal(state)) feed.hasEnded = true;
    for (const follower of feed.followers) follower.offer(event);
  }

  /** Ends the registration of this process as a reader. If this fails, some events arrive without effect. */
  private leave(taskId: string): void {
    this.log.leave(taskId).catch(() => undefined);
  }

  private async askLog(): Promise<void> {
    const now = Date.now();
    const asked = [...this.feeds].filter(([, feed]) => !feed.received || now - feed.watchedAt > WATCH_MS / 3);
    for (const feed of this.feeds.values()) feed.received = false;
    for (const [, feed] of asked) feed.watchedAt = now;
    try {
      // In pages: ten thousand queries at once would block everything else in this process.
      for (let at = 0; at < asked.length; at += ASKED_AT_ONCE) await this.hint(asked.slice(at, at + ASKED_AT_ONCE));
    } catch {
      // Redis is unreachable, as its connection has logged: the next check repeats this.
    }
  }

  private async hint(some: readonly (readonly [taskId: string, feed: Feed])[]): Promise<void> {
    const latest = await this.log.latest(some.map(([taskId]) => taskId));
    for (const [taskId, feed] of some) {
      const name = latest.get(taskId);
      if (name !== undefined) for (const follower of feed.followers) follower.hint(name);
    }
  }
}
