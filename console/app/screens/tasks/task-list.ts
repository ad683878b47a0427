import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { atMostEvery } from '../../api/feed/at-most-every.js';
import { follow } from '../../api/feed/feed.js';
import { listPath } from '../../api/paths.js';
import { getJson } from '../../api/request.js';
import type { FeedFrame, StateCounts, TaskPage, TaskRow } from '../../api/types.js';
import { errorOf } from '../../api/use-load.js';

interface List {
  readonly rows: readonly TaskRow[];
  readonly states: StateCounts;
  readonly areStatesCut: boolean;
  readonly next: string | undefined;
  readonly isCut: boolean;
}

/** Changes of a filtered list are counted this often at most: a count reads up to 1,000 tasks. */
const COUNT_MS = 5_000;

/** The list of one filter: read once, and kept by the feed from then on. */
export class TaskList {
  readonly data = signal<List | undefined>(undefined);
  readonly error = signal<Error | undefined>(undefined);
  /** Rows that have just come. */
  readonly fresh = signal<ReadonlySet<string>>(new Set());
  private isHeld = false;
  private held: FeedFrame[] = [];
  private isOver = false;

  /** The feed counts the tasks of every skill, client and time. */
  private readonly isNarrow: boolean;
  private readonly counts = atMostEvery(COUNT_MS, () => {
    void this.count();
  });

  constructor(private readonly query: string) {
    this.isNarrow = /(^|&)(skill|client|context|since)=/.test(query);
  }

  /** Reads and follows the list until the returned function is called. */
  open(): () => void {
    const suffix = this.query === '' ? '' : `?${this.query}`;
    let stop = (): void => undefined;
    // The rows come first: the feed is opened after them, and changes in between are read when it is open.
    void this.read().then(() => {
      if (!this.isOver) stop = follow(suffix, { onFrame: this.take, onOpen: this.reload });
    });
    return () => {
      this.isOver = true;
      this.counts.stop();
      stop();
    };
  }

  readonly reload = (): void => {
    void this.read();
  };

  private async read(): Promise<void> {
    try {
      const { tasks, states = {}, areStatesCut = false, next, isCut } = await getJson<TaskPage>(listPath(this.query));
      const kept = isCut ? undefined : rest(this.data.peek(), tasks);
      this.data.value = {
        states,
        areStatesCut,
        isCut,
        rows: [...tasks, ...(kept?.rows ?? [])],
        next: kept === undefined ? next : kept.next,
      };
      this.error.value = undefined;
    } catch (failure) {
      if (!this.isOver) this.error.value = errorOf(failure);
    }
  }

  /** Counts anew, and leaves the rows where they are. A failure is shown by the feed, which fails too. */
  private async count(): Promise<void> {
    const page = await getJson<TaskPage>(listPath(this.query)).catch(() => undefined);
    const list = this.data.peek();
    if (page === undefined || list === undefined || this.isOver) return;
    this.data.value = { ...list, states: page.states ?? {}, areStatesCut: page.areStatesCut ?? false };
  }

  /** While the pointer is over the table, rows stay in position, so that a click meets the intended row. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (!isHeld) for (const frame of this.held.splice(0)) this.take(frame);
  }

  async more(): Promise<void> {
    const list = this.data.peek();
    if (list?.next === undefined) return;
    const { tasks, next, isCut } = await getJson<TaskPage>(listPath(this.query, list.next));
    const known = new Set(list.rows.map(({ id }) => id));
    this.data.value = { ...list, rows: [...list.rows, ...tasks.filter(({ id }) => !known.has(id))], next, isCut };
  }

  private readonly take = (frame: FeedFrame): void => {
    if (frame.isMore === true) this.reload();
    const list = this.data.peek();
    if (list === undefined) return;
    if (this.isNarrow && (frame.tasks !== undefined || frame.gone !== undefined)) this.counts.call();
    const states = this.isNarrow ? list.states : (frame.states ?? list.states);
    if (this.isHeld && (frame.tasks !== undefined || frame.gone !== undefined)) {
      this.data.value = { ...list, states, rows: inPlace(list.rows, frame) };
      this.held.push(frame);
      return;
    }
    const known = new Set(list.rows.map(({ id }) => id));
    const added = (frame.tasks ?? []).filter(({ id }) => !known.has(id));
    if (added.length > 0) this.fresh.value = new Set(added.map(({ id }) => id));
    this.data.value = { ...list, states, rows: merged(list.rows, frame) };
  };
}

/** Rows of a list behind its first page, read anew; undefined where some may be missing between the two. */
function rest(list: List | undefined, page: readonly TaskRow[]): Pick<List, 'rows' | 'next'> | undefined {
  const last = page.at(-1);
  const at = list?.rows.findIndex(({ id, updated }) => id === last?.id && updated === last.updated) ?? -1;
  return list === undefined || at === -1 ? undefined : { rows: list.rows.slice(at + 1), next: list.next };
}

export function useTaskList(query: string): TaskList {
  const list = useMemo(() => new TaskList(query), [query]);
  useEffect(() => list.open(), [list]);
  return list;
}

/** New and changed rows come first: the youngest status is at the top. */
function merged(rows: readonly TaskRow[], { tasks = [], gone = [] }: FeedFrame): readonly TaskRow[] {
  if (tasks.length === 0 && gone.length === 0) return rows;
  const out = new Set([...gone, ...tasks.map(({ id }) => id)]);
  const left = rows.filter(({ id }) => !out.has(id));
  const fresh = [...tasks].sort((one, other) => (one.updated < other.updated ? 1 : -1));
  const oldest = fresh.at(-1)?.updated ?? '';
  // Nearly always all of them are younger than the shown rows.
  const split = left.findIndex(({ updated }) => updated <= oldest);
  const [younger, older] = split === -1 ? [left, []] : [left.slice(0, split), left.slice(split)];
  const top = [...fresh, ...younger].sort((one, other) => (one.updated < other.updated ? 1 : -1));
  return [...top, ...older];
}

/** The same rows with their new states. */
function inPlace(rows: readonly TaskRow[], { tasks = [] }: FeedFrame): readonly TaskRow[] {
  const changed = new Map(tasks.map((task) => [task.id, task]));
  return rows.map((row) => changed.get(row.id) ?? row);
}
