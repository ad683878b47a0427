import { type AgentChange, concerns } from '../entry/agent-change.js';
import type { Audience } from '../entry/registry-entry.js';
import { FEED_BOUNDS, type FeedChange } from '../store/registry.store.js';

/** A place in a feed: right behind a change. */
export interface Cursor {
  readonly seq: number;
  readonly id: string;
}

/** Before the first change of all; the id of readers for whom no kept change was. */
const START: Cursor = { seq: 0, id: 'start' };

/** The changes of a tenant that a process has read: the same as Redis keeps, within the same bounds. */
export class KeptChanges {
  private changes: FeedChange[] = [];
  private bytes = 0;
  private readonly latest = new Map<string, AgentChange>();

  get last(): FeedChange | undefined {
    return this.changes.at(-1);
  }

  /** Where the next change will be. */
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

  /** The place behind the change with an id; undefined where it is not known, or not any more. */
  find(id: string): Cursor | undefined {
    if (id === START.id) return START;
    const found = this.changes.find(({ change }) => change.id === id);
    return found && cursorOf(found);
  }

  /** Whether all that came behind a place is known. */
  reaches({ seq, id }: Cursor): boolean {
    if (seq === START.seq) return this.first === 1;
    return this.changes[seq - this.first]?.change.id === id;
  }

  /** The change behind a place that is reached; undefined where there is none yet. */
  after({ seq }: Cursor): FeedChange | undefined {
    return this.changes[seq + 1 - this.first];
  }

  /** Who finds an agent after its last change. */
  audience(identifier: string): Audience | undefined {
    return this.latest.get(identifier)?.to;
  }

  /** The id of the last change that a client could see: others say nothing to it, not even that they were there. */
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
