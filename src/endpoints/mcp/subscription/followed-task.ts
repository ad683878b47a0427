import type { StreamResponse } from '@parley/protocol/model/event.js';
import { isSettled } from '@parley/protocol/model/task-state.js';
import { readArtifactUri } from '@parley/protocol/mcp/resource-uri.js';
import { notify, type Subscriber, type TaskEvents, type TaskNews } from './task-news.js';

/** Minimum interval of notifications about the same task or resource without a state change, ms. */
const APART_MS = 1_000;

/** The notifications wanted for a task. */
interface Followed {
  readonly id: string;
  /** Whether its own changes are wanted, and not only those of its artifacts. */
  readonly isTaskWanted: boolean;
  readonly uris: readonly string[];
}

/**
 * One task of a subscription. Ten thousand may be open in a process: no event stays in memory while the next one is
 * awaited.
 */
export class FollowedTask {
  private sentAt = 0;
  private urisToldAt: Map<string, number> | undefined;

  constructor(
    private readonly followed: Followed,
    private events: TaskEvents,
    private readonly subscriber: Subscriber,
    private readonly news: TaskNews,
  ) {}

  get id(): string {
    return this.followed.id;
  }

  /**
   * Sends notifications until the task has ended or the client has disconnected. A feed ends at a question; the next
   * one continues after it.
   */
  async follow(): Promise<void> {
    let asked: string | undefined;
    for (;;) {
      try {
        let isOpen = true;
        while (isOpen) isOpen = await this.notifyNext();
        await this.notifyEnd();
      } finally {
        await this.close();
      }
      if (this.subscriber.reply.isGone) return;
      const question = await this.news.questionOf(this.id, this.subscriber);
      // The same question again: the feed ended because this process is shutting down.
      if (question === undefined || question === asked) return;
      asked = question;
      const next = await this.news.feedOf(this.id, this.subscriber.call);
      if (next === undefined) return;
      this.events = next;
    }
  }

  /** Closes an unread feed. */
  async close(): Promise<void> {
    await this.events.return?.();
  }

  /** The end of a feed is a change too. */
  private async notifyEnd(): Promise<void> {
    if (this.followed.isTaskWanted && !this.subscriber.reply.isGone) await this.news.send(this.id, this.subscriber);
  }

  /** Waits for an event and sends its notifications; false at the end of the feed. */
  private async notifyNext(): Promise<boolean> {
    const next = await this.events.next();
    if (next.done === true) return false;
    const { value } = next.value.event;
    for (const uri of this.followed.uris) {
      if (isUpdateOf(uri, value) && this.isDue(uri)) await notify(this.subscriber, 'resources/updated', { uri });
    }
    if (this.followed.isTaskWanted && this.isNews(value)) await this.news.send(this.id, this.subscriber);
    return true;
  }

  /** Whether an event deserves a notification of the task: progress does, once a second. */
  private isNews(event: StreamResponse): boolean {
    // The end of a turn is reported with the end of the feed.
    if (!('statusUpdate' in event) || isSettled(event.statusUpdate.status.state)) return false;
    const now = Date.now();
    if (now - this.sentAt < APART_MS) return false;
    this.sentAt = now;
    return true;
  }

  private isDue(uri: string): boolean {
    const now = Date.now();
    this.urisToldAt ??= new Map<string, number>();
    if (now - (this.urisToldAt.get(uri) ?? 0) < APART_MS) return false;
    this.urisToldAt.set(uri, now);
    return true;
  }
}

function isUpdateOf(uri: string, event: StreamResponse): boolean {
  return 'artifactUpdate' in event && readArtifactUri(uri)?.artifactId === event.artifactUpdate.artifact.artifactId;
}
