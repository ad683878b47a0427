import { WaitingFeed } from '../../platform/feed/waiting-feed.js';
import { type ChangeKind, kindFor } from '../entry/agent-change.js';
import type { HealthState } from '../entry/registry-entry.js';
import type { Cursor, KeptChanges } from './kept-changes.js';

/**
 * An event for a reader: a change of one agent, or `reset`: missed changes are unknown, and it must list the agents
 * anew.
 */
export type AgentNews =
  | { readonly change: 'reset'; readonly at: string }
  | {
      readonly change: ChangeKind;
      readonly identifier: string;
      readonly at: string;
      readonly health?: HealthState;
    };

interface FeedFrame {
  readonly id: string;
  readonly name: string;
  readonly event: AgentNews;
}

/**
 * The changes of a tenant as visible to one client. Holds a cursor into the changes of the process and no buffer, so
 * that a slow reader uses no memory: one that lags too far begins anew.
 */
export class FeedReader extends WaitingFeed<FeedFrame> {
  private cursor: Cursor | undefined;

  constructor(
    private readonly kept: KeptChanges,
    private readonly client: string,
  ) {
    super();
  }

  /** Resumes after an event if it is known. */
  resume(id: string): void {
    this.cursor = this.kept.find(id);
  }

  protected read(): FeedFrame | undefined {
    if (this.cursor === undefined || !this.kept.reaches(this.cursor)) return this.reset();
    for (let next = this.kept.after(this.cursor); next !== undefined; next = this.kept.after(this.cursor)) {
      const { seq, change } = next;
      const { id, identifier, at, health } = change;
      this.cursor = { seq, id };
      const kind = kindFor(this.client, change, this.kept.audience(identifier));
      if (kind === undefined) continue;
      const more = kind === 'health' && health !== undefined ? { health } : {};
      return { id, name: kind, event: { change: kind, identifier, at, ...more } };
    }
    return undefined;
  }

  private reset(): FeedFrame {
    this.cursor = this.kept.end;
    const event = { change: 'reset', at: new Date().toISOString() } as const;
    return { id: this.kept.lastIdFor(this.client), name: event.change, event };
  }
}
