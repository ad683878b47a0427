import type { RedisClient } from '../platform/redis/redis-client.js';
import { type ReadOptions, shownArguments } from './snapshot.js';
import { stateWord } from './state-word.js';
import { storedStatus, taskJson } from './task-json.js';
import { TaskReader, withUse } from './task-reader.js';
import { shardOf, type TaskKeys } from './task.keys.js';
import { TASK_SCRIPTS } from './task.scripts.js';

type ListedRecord = readonly [
  word: string | null,
  context: string,
  status: string,
  metadata: string | null,
  names: string | null,
  artifacts: string | null,
  history: readonly string[],
  use: string | null,
];

/** Tasks by their index entries, '' for a deleted one. Tasks over the size limit are left out. */
export type ListedRecords = Map<string, string>;

interface Request {
  readonly owner: string;
  readonly shown: ReadOptions;
  readonly mostBytes: number;
  /** Whether no script may read tasks of several shards. */
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
      const text = await this.textOf(entry.slice(entry.indexOf(':') + 1), record, request);
      bytes += text.length;
      if (texts.size > 0 && bytes > request.mostBytes) break;
      texts.set(entry, text);
    }
    return texts;
  }

  private async records(entries: readonly string[], request: Request): Promise<ReadonlyMap<string, ListedRecord>> {
    const groups = new Map<number, string[]>();
    for (const entry of entries) {
      const group = request.isApart ? shardOf(entry.slice(entry.indexOf(':') + 1)) : 0;
      groups.set(group, [...(groups.get(group) ?? []), entry]);
    }
    const records = new Map<string, ListedRecord>();
    const [most, artifacts] = shownArguments({
      historyLength: request.shown.historyLength,
      artifacts: request.shown.artifacts ?? true,
    });
    const asked = [...groups.values()].map(async (some) => {
      const keys = some
        .map((entry) => entry.slice(entry.indexOf(':') + 1))
        .flatMap((id) => [this.keys.task(id), this.keys.history(id)]);
      const reply = await TASK_SCRIPTS.records.run(this.redis, keys, [most, artifacts, request.mostBytes]);
      (reply as unknown as readonly ListedRecord[]).forEach((record, at) => records.set(some[at] ?? '', record));
    });
    await Promise.all(asked);
    return records;
  }

  private async textOf(id: string, record: ListedRecord, { owner, shown }: Request): Promise<string> {
    const [word, contextId, stored, metadata, names, artifacts, history, use] = record;
    if (word === null) return '';
    // Artifacts in lists have keys of their own, which are known only now.
    if (shown.artifacts !== false && names !== null)
      return (await this.reader.read({ ...shown, owner, id }))?.task.text ?? '';
    const { state } = stateWord(word);
    const status = storedStatus(state, stored);
    return taskJson({
      id,
      contextId,
      status,
      metadata: withUse(metadata ?? '', use),
      artifacts: artifacts ?? '',
      history,
    });
  }
}
