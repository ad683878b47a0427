import { type AgentChange, concerns } from '../entry/agent-change.js';
import type { Audience } from '../entry/registry-entry.js';
import { FEED_BOUNDS, type FeedChange } from '../store/registry.store.js';

/** A position in a feed: right after a change. */
export interface Cursor {
  readonly seq: number;
  readonly id: string;
}

/** Before the first change; its id is given to readers that had no visible change yet. */
const START: Cursor = { seq: 0, id: 'start' };

/** The changes of a tenant read by this process: the same as in Redis, within the same bounds. */
export class KeptChanges {
  private changes: FeedChange[] = [];
  private bytes = 0;
  private readonly latest = new Map<string, AgentChange>();

  get last(): FeedChange | undefined {
    return this.changes.at(-1);
  }

  /** Position of the next change. */
  get end(): Cursor {
    return this.last === undefined ? START : cursorOf(this.last);
  }

  append(more: readonly FeedChange[]): void {
    for (const one of more) {
      this.changes.push(one);
      this.bytes += one.bytes;
      this.latest.set(one.change.identifier, one.change);
    }
    while (this.changes.length > FEED_BOUNDS.changes || this.bytes > FEED_BOUNDS.bytes) this.dropOldest();
  }

  replace(all: readonly FeedChange[]): void {
    this.changes = [];
    this.bytes = 0;
    this.latest.clear();
    this.append(all);
  }

  /** The position after the change with an id; undefined if it is unknown or dropped. */
  find(id: string): Cursor | undefined {
    if (id === START.id) return START;
    const found = this.changes.find(({ change }) => change.id === id);
    return found && cursorOf(found);
  }

  /** Whether all changes after a position are known. */
  reaches({ seq, id }: Cursor): boolean {
    if (seq === START.seq) return this.first === 1;
    return this.changes[seq - this.first]?.change.id === id;
  }

  /** The change after a known position; undefined when there is none yet. */
  after({ seq }: Cursor): FeedChange | undefined {
    return this.changes[seq + 1 - this.first];
  }

  /** The audience of an agent after its last change. */
  audience(identifier: string): Audience | undefined {
    return this.latest.get(identifier)?.to;
  }

  /** Id of the last change visible to a client: even the existence of others stays hidden. */
  lastIdFor(client: string): string {
    return this.changes.findLast(({ change }) => concerns(change, client))?.change.id ?? START.id;
  }

  private get first(): number {
    return this.changes[0]?.seq ?? 1;
  }

  private dropOldest(): void {
    const oldest = this.changes.shift();
    if (oldest === undefined) return;
    const { change, bytes } = oldest;
    this.bytes -= bytes;
    if (this.latest.get(change.identifier) === change) this.latest.delete(change.identifier);
  }
}

function cursorOf({ seq, change }: FeedChange): Cursor {
  return { seq, id: change.id };
}
