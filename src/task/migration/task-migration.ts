import type { RedisClient } from '../../platform/redis/redis-client.js';
import { RedisScript } from '../../platform/redis/redis-script.js';
import { isTerminal, type TaskState } from '../../protocol/task-state.js';
import { stepField } from '../journal-entries.js';
import { hasOwnList, listsOf } from '../task-lists.js';
import { accountsOf, memberOf } from '../task-record.js';
import { shardOf, shardOfDigest, type TaskKeys } from '../task.keys.js';
import { type TaskOptions, ttlOf } from '../task.options.js';
import { type MigratedTask, migratedTask } from './migrated-task.js';
import type { OldKeys } from './old-keys.js';
import { DROPPED_FIELDS, OLD_FIELDS, oldFields, type OldTask } from './old-task.js';

const script = (name: string): RedisScript => new RedisScript(new URL(`lua/${name}.lua`, import.meta.url));
const SCRIPTS = { weigh: script('weigh'), moveEvents: script('move_events'), switch: script('switch') } as const;

/** Events that a log keeps. */
const KEPT_EVENTS = 20_000;
/** Events, or items of a list, in one step: other commands wait meanwhile. */
const AT_ONCE = 200;
/** A first message beyond this is read while no other one is: it may have megabytes. */
const LARGE = 262_144;

export interface MigrationTarget {
  readonly keys: TaskKeys;
  readonly oldKeys: OldKeys;
  readonly options: TaskOptions;
  /** Ids of skills that limit their runs at a time. */
  readonly limited: ReadonlySet<string>;
  /** Ms by the clock of Redis. */
  readonly now: number;
}

/** A task of schema 2 as it was found. */
interface FoundTask {
  readonly old: OldTask;
  readonly historyBytes: number;
}

/**
 * Migrates one task of schema 2. Whatever is long is copied before, in steps that change nothing when they are done
 * again; then one script turns the old record into the new one. A process that dies leaves each task old or new.
 */
export class TaskMigration {
  private large: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly redis: RedisClient,
    private readonly target: MigrationTarget,
  ) {}

  /** Its new record; undefined where there is no task of schema 2. @throws where it cannot be read */
  async migrate(id: string, isDryRun: boolean): Promise<MigratedTask | undefined> {
    for (;;) {
      const found = await this.find(id);
      if (found === undefined) return undefined;
      const task = migratedTask(found.old, { ...this.target.options, now: this.target.now }, this.target.limited);
      if (isDryRun || (await this.write(found, task))) return task;
    }
  }

  private async find(id: string): Promise<FoundTask | undefined> {
    const key = this.target.keys.task(id);
    const history = this.target.keys.history(id);
    const [values, due, weighed] = await Promise.all([
      this.redis.hmget(key, ...OLD_FIELDS),
      this.redis.zscore(this.target.keys.dueOf(id), id),
      this.weigh(history, 0),
    ]);
    const fields = oldFields(values);
    if (fields === undefined) return undefined;
    const [bytes, , firstBytes] = weighed;
    const [first, artifactNames] = await Promise.all([
      firstBytes > LARGE ? this.alone(() => this.redis.lindex(history, 0)) : this.redis.lindex(history, 0),
      this.artifactNames(key, Number(fields.artifacts)),
    ]);
    return {
      old: { ...fields, id, artifactNames, first: first ?? '{}', due: due === null ? undefined : Number(due) },
      historyBytes: weighed[1] < AT_ONCE ? bytes : await this.bytesOf(history),
    };
  }

  private async write({ old, historyBytes }: FoundTask, task: MigratedTask): Promise<boolean> {
    const [artifactBytes, events] = await Promise.all([
      this.bytesOfArtifacts(old),
      this.copyEvents(old),
      this.copySteps(old),
      this.copyMark(old, task),
    ]);
    const callerBytes = historyBytes + Buffer.byteLength(old.metadata);
    const args = this.argumentsOf(old, task, {
      ...{ callerBytes, artifactBytes, copiedBytes: events.bytes, next: events.next },
    });
    return (await SCRIPTS.switch.run(this.redis, this.keysOf(old, task), args)) === 'DONE';
  }

  /** Artifacts are lists as before; only their names have another entry. */
  private async artifactNames(key: string, count: number): Promise<readonly string[]> {
    const names: string[] = [];
    for (let cursor = '0'; count > 0;) {
      const [next, flat] = await this.redis.hscan(key, cursor, 'MATCH', 'artifact:*', 'COUNT', 1000);
      for (let at = 0; at < flat.length; at += 2) {
        names[Number(flat[at + 1]) - 1] = (flat[at] ?? '').slice('artifact:'.length);
      }
      if (next === '0') break;
      cursor = next;
    }
    return names;
  }

  private async bytesOfArtifacts({ id, artifactNames }: OldTask): Promise<number> {
    let bytes = 0;
    for (const at of artifactNames.keys()) bytes += await this.bytesOf(this.target.keys.artifact(id, at + 1));
    return bytes;
  }

  private async bytesOf(list: string): Promise<number> {
    let bytes = 0;
    for (let from = 0; ; from += AT_ONCE) {
      const [some, items] = await this.weigh(list, from);
      bytes += some;
      if (items < AT_ONCE) return bytes;
    }
  }

  private async weigh(list: string, from: number): Promise<readonly [bytes: number, items: number, first: number]> {
    return (await SCRIPTS.weigh.run(this.redis, [list], [from, AT_ONCE])) as unknown as [number, number, number];
  }

  /** All but the last ones, which the switch copies. */
  private async copyEvents({ id, seq }: OldTask): Promise<{ readonly next: number; readonly bytes: number }> {
    let next = Math.max(1, Number(seq) - KEPT_EVENTS + 1);
    let bytes = 0;
    const keys = [this.target.keys.task(id), this.target.oldKeys.events(id), this.target.keys.history(id)];
    for (; next + AT_ONCE <= Number(seq); next += AT_ONCE) {
      const [, some] = (await SCRIPTS.moveEvents.run(this.redis, keys, [next, AT_ONCE])) as [number, number];
      bytes += some;
    }
    return { next, bytes };
  }

  private async copySteps({ id, turn, state }: OldTask): Promise<void> {
    // They went with the end of the turn.
    if (isTerminal(state as TaskState)) return;
    for (let cursor = '0'; ;) {
      const [next, flat] = await this.redis.hscan(this.target.oldKeys.steps(id), cursor, 'COUNT', AT_ONCE);
      const fields = flat.map((text, at) => (at % 2 === 0 ? stepField(Number(turn), text) : text));
      if (fields.length > 0) await this.redis.hset(this.target.keys.journal(id), ...fields);
      if (next === '0') return;
      cursor = next;
    }
  }

  /** A message that is sent again finds its task: its mark has another name now, and lies in another shard. */
  private async copyMark({ id, sent }: OldTask, { traits }: MigratedTask): Promise<void> {
    const { digest } = traits;
    const mark = this.target.keys.sent(shardOfDigest(digest), digest);
    if (mark === sent || sent === '') return;
    const [text, ttl] = await Promise.all([this.redis.get(sent), this.redis.pttl(sent)]);
    if (text?.startsWith(id) === true && ttl > 0) await this.redis.set(mark, text, 'PX', ttl, 'NX');
  }

  private keysOf(old: OldTask, { state }: MigratedTask): readonly string[] {
    const { keys, oldKeys } = this.target;
    const { id, owner, context, skill } = old;
    const shard = shardOf(id);
    const listed = listsOf(keys, id, owner, context);
    const [queue, limited] = keys.queuesOf(id);
    const ofOwner = isTerminal(state) ? [listed.ended, listed.endedOfContext] : [listed.open, listed.openOfContext];
    const lists = [...ofOwner, listed.ofState(state), listed.ofStateInContext(state)];
    const artifacts = old.artifactNames.map((_name, at) => keys.artifact(id, at + 1));
    return [
      ...[keys.task(id), keys.history(id), keys.states(id), oldKeys.events(id), oldKeys.steps(id), keys.due(shard)],
      ...[keys.over(shard), this.target.limited.has(skill) ? limited : queue, keys.counts(shard), keys.bytes(shard)],
      ...[oldKeys.counts(shard), ...oldKeys.lists(old), ...lists],
      ...[keys.journal(id), keys.state(id), keys.messages(id), keys.push(id), ...artifacts],
      keys.ofTenant(shard, old.tenant),
    ];
  }

  private argumentsOf(
    old: OldTask,
    task: MigratedTask,
    size: Readonly<Record<'callerBytes' | 'artifactBytes' | 'copiedBytes' | 'next', number>>,
  ): readonly (string | number)[] {
    const { id, seq, fence, skill, state } = old;
    const { traits, entry, position = '', due, states, fields } = task;
    const counted = state === 'TASK_STATE_SUBMITTED' ? '' : `${skill || '-'} ${state}`;
    const gone = [...OLD_FIELDS, ...DROPPED_FIELDS, ...old.artifactNames.map((name) => `artifact:${name}`)].filter(
      // The only field that both have.
      (name) => name !== 'span',
    );
    return [
      ...[id, seq, fence, state, ttlOf(this.target.options), entry, isTerminal(task.state) ? 1 : 0, due],
      ...[position, memberOf(id, traits), `${skill || '-'} begun`, counted, `${skill} ${state}`],
      ...[size.callerBytes + size.artifactBytes, size.copiedBytes, size.callerBytes, ...accountsOf(traits)],
      ...[size.next, 2 * AT_ONCE, hasOwnList(task.state) ? 4 : 2],
      ...[gone.length, ...gone, states.length, ...states, ...fields],
    ];
  }

  private alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.large.then(work, work);
    this.large = turn;
    return turn;
  }
}
