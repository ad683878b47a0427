import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { type ReadOptions, shownArguments } from '../record/snapshot.js';
import { stateWord } from '../record/state-word.js';
import { storedStatus, taskJson } from '../record/task-json.js';
import { taskIdAt } from '../record/task-lists.js';
import { TaskReader, withUse } from './task-reader.js';
import { shardOf, type TaskKeys } from '../task.keys.js';
import { TASK_SCRIPTS } from '../task.scripts.js';

type ListedRecord = readonly [
  word: string | null,
  context: string,
  status: string,
  metadata: string | null,
  use: string | null,
  names?: string | null,
  artifacts?: string | null,
  history?: readonly string[],
];

/** Tasks by their index entries, '' for a deleted one. Tasks over the size limit are left out. */
export type ListedRecords = Map<string, string>;

/** Reply of a script for a task too large for a page. */
const LARGE = 'LARGE';

interface Request {
  readonly owner: string;
  readonly shown: ReadOptions;
  readonly mostBytes: number;
  /** Whether scripts cannot read tasks of several shards. */
  readonly isApart: boolean;
}

/** Reads the tasks of a page, in page order, up to the size limit, at least one. */
export class RecordReader {
  private readonly reader: TaskReader;

  constructor(
    private readonly redis: RedisClient,
    private readonly keys: TaskKeys,
  ) {
    this.reader = new TaskReader(redis, keys);
  }

  async read(entries: readonly string[], request: Request): Promise<ListedRecords> {
    const records = await this.records(entries, request);
    const texts: ListedRecords = new Map();
    let bytes = 0;
    for (const entry of entries) {
      const record = records.get(entry);
      if (record === undefined) break;
      const text = await this.textOf(taskIdAt(entry), record, request);
      bytes += text.length;
      if (texts.size > 0 && bytes > request.mostBytes) break;
      texts.set(entry, text);
    }
    return texts;
  }

  private async records(entries: readonly string[], request: Request): Promise<ReadonlyMap<string, ListedRecord>> {
    const groups = new Map<number, string[]>();
    for (const entry of entries) {
      const group = request.isApart ? shardOf(taskIdAt(entry)) : 0;
      const others = groups.get(group);
      if (others === undefined) groups.set(group, [entry]);
      else others.push(entry);
    }
    const records = new Map<string, ListedRecord>();
    const shown = shownArguments(request.shown);
    const asked = [...groups.values()].map(async (some) => {
      const ids = some.map(taskIdAt);
      const keys = {
        tasks: ids.map((id) => this.keys.task(id)),
        histories: shown.maxMessages === 0 ? [] : ids.map((id) => this.keys.history(id)),
      };
      const reply = await TASK_SCRIPTS.records.run(this.redis, keys, { ...shown, maxBytes: request.mostBytes });
      (reply as unknown as readonly ListedRecord[]).forEach((record, at) => records.set(some[at] ?? '', record));
    });
    await Promise.all(asked);
    return records;
  }

  private async textOf(id: string, record: ListedRecord, { owner, shown }: Request): Promise<string> {
    const [word, contextId, stored, metadata, use, names = null, artifacts, history = []] = record;
    if (word === null) return '';
    // Artifacts in lists have keys of their own, known only now; a large task is read in steps.
    if ((shown.artifacts !== false && names !== null) || artifacts === LARGE)
      return this.textOfLists({ ...shown, owner, id, isPart: true });
    const status = storedStatus(stateWord(word).state, stored);
    return taskJson({
      id,
      contextId,
      status,
      metadata: withUse(metadata ?? '', use),
      artifacts: artifacts ?? '',
      history,
    });
  }

  private async textOfLists(request: Parameters<TaskReader['read']>[0]): Promise<string> {
    return (await this.reader.read(request))?.task.text ?? '';
  }
}
