import { WaitingFeed } from '../../platform/feed/waiting-feed.js';
import { type ChangeKind, kindFor } from '../entry/agent-change.js';
import type { HealthState } from '../entry/registry-entry.js';
import type { Cursor, KeptChanges } from './kept-changes.js';

/** What a reader is told: of one agent, or `reset`: the changes that it lacks are not known, it must list the agents anew. */
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
 * The changes of a tenant as one client may see them. It has a place among the changes of the process and nothing of its
 * own, so that a slow reader holds no memory: one that is too far behind begins anew.
 */
export class FeedReader extends WaitingFeed<FeedFrame> {
  private cursor: Cursor | undefined;

  constructor(
    private readonly kept: KeptChanges,
    private readonly client: string,
  ) {
    super();
  }

  /** Goes on behind an event, where it is known. */
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
