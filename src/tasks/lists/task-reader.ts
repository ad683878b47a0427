import { Json, type JsonObject } from '@parley/protocol/model/json.js';
import { CREATED_AT } from '@parley/protocol/extension/marks.js';
import { MODEL_USAGE_EXTENSION, type TaskModelUsage } from '@parley/protocol/extension/model-usage.js';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { type ReadOptions, shownArguments, type Snapshot } from '../record/snapshot.js';
import { stateWord } from '../record/state-word.js';
import { statusJson, storedStatus, taskJson } from '../record/task-json.js';
import type { TaskRest } from '../record/task-record.js';
import { MAX_LISTS, type TaskKeys } from '../task.keys.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { eventField, FIELD } from '../task-fields.js';

/** The service's own reads get larger tasks in steps: one script would block all other commands for tens of ms. */
const MAX_AT_ONCE = 8 * 1_048_576;
/** Approximate bytes of a list per step; a larger item is a step. */
const STEP_BYTES = 1_048_576;
/**
 * Callers get larger tasks as stored bytes, which are neither decoded nor copied. Smaller ones are read at once and
 * without room: all calls of a process together hold little of them.
 */
const AT_HAND = 256 * 1024;
/** Attempts to read a large task that changes meanwhile, before it is read in one piece. */
const TRIES = 5;

type Fields = readonly [
  word: string,
  context: string,
  status: string,
  rest: string,
  metadata: string | null,
  artifacts: string | null,
  use: string | null,
];
type Lists = readonly (readonly string[])[];
type WholeReply = readonly ['TASK', Fields, readonly string[], Lists];
type ReadReply = WholeReply | readonly ['AGAIN', string] | readonly ['LARGE', number] | null;

export interface ReadRequest extends ReadOptions {
  readonly owner: string;
  readonly id: string;
  /** Registers the reader for events for this time in ms; absent: no registration. */
  readonly watchMs?: number | undefined;
}

const SMALL_FIELDS = [
  ...[FIELD.word, FIELD.context, FIELD.status, FIELD.rest, FIELD.metadata, FIELD.artifactNames],
  ...[FIELD.laterMetadata, FIELD.modelUse, FIELD.messageBytes, FIELD.resultBytes],
];

/** Reads current tasks of any size. */
export class TaskReader {
  constructor(
    private readonly redis: RedisClient,
    private readonly keys: TaskKeys,
  ) {}

  /** Undefined where the task is missing or foreign. */
  async read(request: ReadRequest): Promise<Snapshot | undefined> {
    const mostBytes = request.room === undefined ? MAX_AT_ONCE : AT_HAND;
    let reply = await this.ask(request, '', mostBytes);
    while (reply?.[0] === 'AGAIN') {
      const [, names] = reply;
      // As one call they would be too many keys.
      if (this.artifactKeys(request.id, names).length > MAX_LISTS) return this.readLarge(request);
      reply = await this.ask(request, names, mostBytes);
    }
    if (reply?.[0] !== 'LARGE') return this.snapshot(request, reply);
    await request.room?.hold(reply[1], request.isPart === true);
    return this.readLarge(request);
  }

  private async snapshot(request: ReadRequest, reply: ReadReply): Promise<Snapshot | undefined> {
    const parts = partsOf(reply);
    if (parts === undefined) return undefined;
    if (request.states !== true) return snapshotOf(request, parts);
    return snapshotOf(request, parts, await this.states(request, parts.word));
  }

  private ask(request: ReadRequest, names: string, mostBytes: number): Promise<ReadReply> {
    const { owner, id, watchMs = '' } = request;
    const keys = { task: this.keys.task(id), history: this.keys.history(id), artifacts: this.artifactKeys(id, names) };
    const args = { owner, ...shownArguments(request), names, maxBytes: mostBytes, watchMs };
    return TASK_SCRIPTS.read.run(this.redis, keys, args) as Promise<unknown> as Promise<ReadReply>;
  }

  private artifactKeys(id: string, names: string): readonly string[] {
    if (names === '') return [];
    return (JSON.parse(names) as string[]).map((_name, at) => this.keys.artifact(id, at + 1));
  }

  /** Step by step, a command each; valid if the task is the same before and after. */
  private async readLarge(request: ReadRequest): Promise<Snapshot | undefined> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const snapshot = await this.readInSteps(request);
      if (snapshot !== 'changed') return snapshot;
    }
    const names = (await this.redis.hget(this.keys.task(request.id), FIELD.artifactNames)) ?? '';
    const reply = await this.ask(request, names, Number.MAX_SAFE_INTEGER);
    if (reply?.[0] === 'AGAIN') return this.readLarge(request);
    return this.snapshot(request, reply);
  }

  private async readInSteps(request: ReadRequest): Promise<Snapshot | undefined | 'changed'> {
    const { id, artifacts = true } = request;
    const key = this.keys.task(id);
    const small = await this.redis.hmget(key, ...SMALL_FIELDS);
    const [word, context, status, rest, atFirst, names, since, use = null, messages, results] = small;
    const metadata = since ?? atFirst ?? null;
    if (typeof word !== 'string') return undefined;
    const [history, joined, lists] = await Promise.all([
      this.historyInSteps(request, Number(messages ?? 0)),
      artifacts ? this.redis.hgetBuffer(key, FIELD.artifacts) : null,
      artifacts ? this.listsInSteps(this.artifactKeys(id, names ?? ''), Number(results ?? 0)) : [],
    ]);
    if ((await this.redis.hget(key, FIELD.word)) !== word) return 'changed';
    const states = request.states === true ? await this.states(request, word) : undefined;
    const stored = { word, context: context ?? '', status: status ?? '', rest: rest ?? '' };
    const parts = { ...stored, metadata: metadata ?? '', use };
    const head = snapshotOf(request, { ...parts, artifacts: '', history: [] }, states);
    const shown = joined === null ? artifactPieces(lists) : [joined];
    return { ...head, task: Json.ofPieces(taskPieces(head.task.text, shown, history)) };
  }

  private async historyInSteps({ id, historyLength = -1 }: ReadRequest, bytes: number): Promise<readonly Buffer[]> {
    if (historyLength === 0) return [];
    const list = this.keys.history(id);
    const later = await this.redis.llen(list);
    const hasFirst = historyLength < 0 || historyLength > later;
    const first = hasFirst ? await this.redis.hgetBuffer(this.keys.task(id), FIELD.firstMessage) : null;
    const from = historyLength < 0 ? 0 : Math.max(0, later - historyLength);
    const items = await this.listInSteps(list, { bytes, from });
    return first === null ? items : [first, ...items];
  }

  private async listsInSteps(keys: readonly string[], bytes: number): Promise<readonly (readonly Buffer[])[]> {
    const lists: (readonly Buffer[])[] = [];
    for (const key of keys) lists.push(await this.listInSteps(key, { bytes }));
    return lists;
  }

  /** @param bytes approximate size of the whole list */
  private async listInSteps(
    key: string,
    { bytes, from = 0 }: { readonly bytes: number; readonly from?: number },
  ): Promise<readonly Buffer[]> {
    const items: Buffer[] = [];
    const length = await this.redis.llen(key);
    const step = Math.max(1, Math.floor((STEP_BYTES * length) / Math.max(1, bytes)));
    for (;;) {
      const at = from + items.length;
      const some = await this.redis.lrangeBuffer(key, at, at + step - 1);
      items.push(...some);
      if (some.length < step) return items;
    }
  }

  /** The past states of a task, with their times. */
  private async states({ id }: ReadRequest, word: string): Promise<readonly PassedState[]> {
    const later = await this.redis.lrange(this.keys.states(id), 0, -1);
    if (later.length > 0) return later.map(passedState);
    // One commit or none: its events contain the states.
    const { seq } = stateWord(word);
    const names = Array.from({ length: seq - 1 }, (_unused, at) => eventField(at + 2));
    const events = names.length === 0 ? [] : await this.redis.hmget(this.keys.task(id), ...names);
    return events.flatMap((event) => passedIn(event ?? ''));
  }
}

interface PassedState {
  readonly state: string;
  readonly timestamp: string;
}

/** An item of the list `states`. */
function passedState(text: string): PassedState {
  const [state = '', ms] = text.split(' ');
  return { state, timestamp: new Date(Number(ms)).toISOString() };
}

function passedIn(event: string): readonly PassedState[] {
  const body = event.slice(event.indexOf(' ') + 1);
  if (!body.startsWith('{"statusUpdate"')) return [];
  const { statusUpdate } = JSON.parse(body) as { statusUpdate: { status: PassedState } };
  return [{ state: statusUpdate.status.state, timestamp: statusUpdate.status.timestamp }];
}

/** A task as it is stored. */
interface Parts {
  readonly word: string;
  readonly context: string;
  readonly status: string;
  readonly rest: string;
  readonly metadata: string;
  readonly artifacts: string;
  readonly use: string | null;
  readonly history: readonly string[];
}

function partsOf(reply: ReadReply): Parts | undefined {
  if (reply?.[0] !== 'TASK') return undefined;
  const [, [word, context, status, rest, metadata, joined, use], history, lists] = reply;
  const artifacts = joined ?? artifactsJson(lists);
  return { word, context, status, rest, metadata: metadata ?? '', artifacts, use, history };
}

function snapshotOf(
  { id, created = false }: ReadRequest,
  { word: wordOf, context: contextId, status: stored, rest, metadata, artifacts, use, history }: Parts,
  states?: readonly PassedState[],
): Snapshot {
  const word = stateWord(wordOf);
  const status = storedStatus(word.state, stored);
  const given = withUse(metadata, use);
  const own = created ? withMember(given, createdMember(rest)) : given;
  const shown = states === undefined ? own : withStates(own, rest, states, word.state);
  const text = taskJson({ id, contextId, status, metadata: shown, artifacts, history });
  return { seq: word.seq, nonce: word.last, state: word.state, contextId, task: Json.ofText(text) };
}

const COMMA = Buffer.from(',');

function joinedPieces(items: readonly Buffer[]): readonly Buffer[] {
  return items.flatMap((item, at) => (at === 0 ? item : [COMMA, item]));
}

/** Like `artifactsJson`, for bytes. */
function artifactPieces(lists: readonly (readonly Buffer[])[]): readonly Buffer[] {
  return lists.flatMap(([head = Buffer.alloc(0), ...parts], at) => [
    ...(at === 0 ? [] : [COMMA]),
    ...[head, ...joinedPieces(parts), Buffer.from(']}')],
  ]);
}

/** @param text the task without artifacts and history: `taskJson` writes them between status and metadata */
function taskPieces(text: string, artifacts: readonly Buffer[], history: readonly Buffer[]): readonly Buffer[] {
  const { metadata, ...head } = JSON.parse(text) as JsonObject;
  const inList = (name: string, items: readonly Buffer[]): readonly Buffer[] =>
    items.length === 0 ? [] : [Buffer.from(`,"${name}":[`), ...items, Buffer.from(']')];
  return [
    Buffer.from(JSON.stringify(head).slice(0, -1)),
    ...inList('artifacts', artifacts),
    ...inList('history', joinedPieces(history)),
    Buffer.from(metadata === undefined ? '}' : `,"metadata":${JSON.stringify(metadata)}}`),
  ];
}

/** Of lists: their heads, then their parts chunk by chunk. */
export function artifactsJson(lists: Lists): string {
  return lists.map(([head = '', ...parts]) => `${head}${parts.join(',')}]}`).join(',');
}

/** The state transition history of older versions, as metadata (SEED-07). Progress updates are not transitions. */
function withStates(metadata: string, rest: string, later: readonly PassedState[], state: string): string {
  const { born } = JSON.parse(rest) as TaskRest;
  const isRejected = state === 'TASK_STATE_REJECTED' && later.length === 0;
  const first = { state: isRejected ? state : 'TASK_STATE_SUBMITTED', timestamp: new Date(born).toISOString() };
  const passed = [first, ...later].filter((one, at, all) => at === 0 || all[at - 1]?.state !== one.state);
  const text = passed.map((one) => statusJson({ ...one, message: '' })).join(',');
  return withMember(metadata, `"stateTransitions":[${text}]`);
}

function createdMember(rest: string): string {
  const { born } = JSON.parse(rest) as TaskRest;
  return `"${CREATED_AT}":"${new Date(born).toISOString()}"`;
}

/** Metadata with the task's use of language models (`FIELD.modelUse`), if any. */
export function withUse(metadata: string, use: string | null): string {
  return use === null ? metadata : withMember(metadata, `"${MODEL_USAGE_EXTENSION}":${JSON.stringify(usageIn(use))}`);
}

/** The use of models in a record. */
export function usageIn(use: string): TaskModelUsage {
  const [calls = 0, inputTokens = 0, outputTokens = 0, micros = 0] = use.split(' ').map(Number);
  const cost = micros === 0 ? {} : { cost: micros / 1_000_000 };
  return { calls, inputTokens, outputTokens, ...cost };
}

/** JSON of an object, '' for none, with one member added. */
function withMember(object: string, member: string): string {
  const before = object === '' || object === '{}' ? '{' : `${object.slice(0, -1)},`;
  return `${before}${member}}`;
}
