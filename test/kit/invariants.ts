import type { Artifact, Task } from '../../src/protocol/task.js';
import { isInterrupted, isTerminal, type TaskState, TRANSITIONS } from '../../src/protocol/task-state.js';
import type { LoggedEvent } from '../../src/task/event-log.js';
import { SHARDS, shardOf } from '../../src/task/task.keys.js';
import { Redis } from 'ioredis';
import type { TaskStores } from './task-stores.js';

const PARTS_OF_A_TASK = [':history', ':events', ':steps', ':state', ':messages', ':push'];

/** Everything that is wrong with the stored tasks of a key prefix; empty when all invariants hold. Reads, never writes. */
export async function violations(stores: TaskStores): Promise<readonly string[]> {
  const keys = await allKeys(stores);
  const ids = keys.flatMap((key) => /:task:([0-9a-f-]{36})$/.exec(key)?.[1] ?? []);
  const found = await Promise.all(ids.map((id) => violationsOfTask(stores, id)));
  const stray = [...(await strayMembers(stores, keys, new Set(ids))), ...strayKeys(keys, new Set(ids))];
  return [...found.flat(), ...stray, ...(await miscountedLines(stores, ids)), ...(await miscounts(stores, ids))];
}

/** The line of a shard counts the runs that stand in it. */
async function miscountedLines(stores: TaskStores, ids: readonly string[]): Promise<readonly string[]> {
  const places = await Promise.all(ids.map((id) => stores.field(id, 'place')));
  const shards = Array.from({ length: SHARDS }, async (_unused, shard) => {
    const all = Number((await stores.redis.hget(stores.keys.line(shard), 'all')) ?? 0);
    const standing = ids.filter((id, at) => shardOf(id) === shard && places[at] !== '').length;
    return all === standing ? [] : [`shard ${shard}: ${all} runs in line, ${standing} stand in it`];
  });
  return (await Promise.all(shards)).flat();
}

async function violationsOfTask(stores: TaskStores, id: string): Promise<readonly string[]> {
  const [fields, events, task] = await Promise.all([
    stores.redis.hgetall(stores.keys.task(id)),
    stores.events(id),
    stores.task(id),
  ]);
  const faults = [
    ...numbering(fields, events),
    ...lifeOf(task, events),
    ...sameArtifacts(task, events),
    ...holding(fields),
    ...(await indexing(stores, id, fields)),
    ...(await lifetimes(stores, id, fields)),
  ];
  return faults.map((fault) => `${id}: ${fault}`);
}

/** Events are numbered 1, 2, 3 … and the task's own number is the last of them. */
function numbering({ seq }: Record<string, string>, events: readonly LoggedEvent[]): readonly string[] {
  const faults = events.flatMap((event, at) => {
    const expected = (events[0]?.seq ?? 1) + at;
    return event.seq === expected ? [] : [`event ${event.seq} stands where ${expected} should`];
  });
  const first = events[0]?.seq;
  if (first !== 1 && events.length < 10_000) faults.push(`the log begins with event ${String(first)}`);
  if (Number(seq) !== events.at(-1)?.seq)
    faults.push(`seq is ${seq ?? '?'}, the last event ${String(events.at(-1)?.seq)}`);
  return faults;
}

/** The states of the events are a way through the state machine that ends where the task stands. */
function lifeOf(task: Task, events: readonly LoggedEvent[]): readonly string[] {
  const faults: string[] = [];
  const states = events.map(({ event }) => stateOf(event.value));
  let state: TaskState | undefined;
  for (const [at, next] of states.entries()) {
    if (state !== undefined && isTerminal(state)) faults.push(`event ${at + 1} comes after ${state}`);
    if (next === undefined) continue;
    if (state !== undefined && !TRANSITIONS[state].includes(next)) faults.push(`${state} became ${next}`);
    state = next;
  }
  if (state !== task.status.state) faults.push(`the task is ${task.status.state}, its events say ${String(state)}`);
  return faults;
}

/** The stored artifacts are what its events say. */
function sameArtifacts(task: Task, events: readonly LoggedEvent[]): readonly string[] {
  if (events[0]?.seq !== 1) return [];
  const told = new Map<string, Artifact>();
  for (const { event } of events) {
    if (!('artifactUpdate' in event.value)) continue;
    const { artifact, append = false } = event.value.artifactUpdate;
    const known = told.get(artifact.artifactId);
    if (append && known === undefined) return [`artifact ${artifact.artifactId} was appended to before it was there`];
    const parts = append && known !== undefined ? [...known.parts, ...artifact.parts] : artifact.parts;
    told.set(artifact.artifactId, { ...artifact, parts });
  }
  const stored = new Map((task.artifacts ?? []).map((artifact) => [artifact.artifactId, artifact]));
  const names = new Set([...told.keys(), ...stored.keys()]);
  return [...names].flatMap((name) =>
    JSON.stringify(told.get(name)) === JSON.stringify(stored.get(name))
      ? []
      : [`artifact ${name} is not what its events say`],
  );
}

/** Only a task that is worked on has a holder. */
function holding(fields: Record<string, string>): readonly string[] {
  const state = fields.state as TaskState;
  const held = fields.nonce !== '' || fields.lease !== '0';
  const faults: string[] = [];
  if (held && (isTerminal(state) || isInterrupted(state))) faults.push(`is ${state} and held by a run`);
  if (fields.place !== '' && (held || isTerminal(state) || isInterrupted(state)))
    faults.push(`is ${state} and stands in line`);
  if (isTerminal(state) && (fields.cancel ?? '') !== '') faults.push(`is ${state} and waits to be canceled`);
  return faults;
}

async function indexing(stores: TaskStores, id: string, f: Record<string, string>): Promise<readonly string[]> {
  const places = placesOf(stores, id, f);
  const scores = await Promise.all(places.map((key) => stores.redis.zscore(key, `${f.ms ?? ''}:${id}`)));
  const faults = scores.flatMap((score, at) => (score === null ? [`is missing from ${places[at] ?? ''}`] : []));
  if ((await stores.redis.zscore(stores.keys.dueOf(id), id)) === null) faults.push('nobody will look at it again');
  return faults;
}

/** What is finished goes by itself; what is open stays until somebody ends it. */
async function lifetimes(stores: TaskStores, id: string, fields: Record<string, string>): Promise<readonly string[]> {
  const terminal = isTerminal(fields.state as TaskState);
  const artifacts = Array.from({ length: Number(fields.artifacts) }, (_unused, at) => `:artifact:${at + 1}`);
  const parts = ['', ...PARTS_OF_A_TASK, ...artifacts];
  const ttls = await Promise.all(parts.map((part) => stores.redis.pttl(stores.keys.task(id) + part)));
  return ttls.flatMap((ttl, at) => {
    if (ttl === -2) return [];
    if (terminal && ttl === -1) return [`is finished, but its key "${parts[at] ?? ''}" has no end`];
    return terminal || ttl === -1 ? [] : [`is open, but its key "${parts[at] ?? ''}" ends in ${ttl} ms`];
  });
}

/** Members of indexes and due sets whose task is gone or has another place. */
/** The counts by skill and state are those of the tasks that are there. */
async function miscounts(stores: TaskStores, ids: readonly string[]): Promise<readonly string[]> {
  const real = new Map<string, number>();
  for (const id of ids) {
    const [skill = '', state = ''] = await stores.redis.hmget(stores.keys.task(id), 'skill', 'state').then(texts);
    real.set(`${skill} ${state}`, (real.get(`${skill} ${state}`) ?? 0) + 1);
  }
  const shards = Array.from({ length: SHARDS }, (_unused, shard) => stores.redis.hgetall(stores.keys.counts(shard)));
  const told = new Map<string, number>();
  for (const [name, number] of (await Promise.all(shards)).flatMap(Object.entries<string>)) {
    told.set(name, (told.get(name) ?? 0) + Number(number));
  }
  const names = [...new Set([...real.keys(), ...told.keys()])];
  return names
    .filter((name) => real.get(name) !== told.get(name))
    .map((name) => `${name}: ${String(told.get(name))} are counted, ${String(real.get(name))} are there`);
}

function texts(values: readonly (string | null)[]): readonly string[] {
  return values.map((value) => value ?? '');
}

async function strayMembers(
  stores: TaskStores,
  keys: readonly string[],
  ids: ReadonlySet<string>,
): Promise<readonly string[]> {
  const due = await Promise.all(
    Array.from({ length: SHARDS }, (_unused, shard) => stores.redis.zrange(stores.keys.due(shard), '0', '-1')),
  );
  const strangers = due.flat().filter((id) => !ids.has(id));
  const indexes = keys.filter((key) => key.includes(':index:'));
  const misplaced = await Promise.all(indexes.map((key) => strayPlaces(stores, key)));
  return [...strangers.map((id) => `${id}: is due but does not exist`), ...misplaced.flat()];
}

async function strayPlaces(stores: TaskStores, key: string): Promise<readonly string[]> {
  const members = await stores.redis.zrange(key, '0', '-1');
  const found = await Promise.all(
    members.map(async (member) => {
      const id = member.slice(member.indexOf(':') + 1);
      const fields = await stores.redis.hgetall(stores.keys.task(id));
      const isHere = member === `${fields.ms ?? ''}:${id}` && placesOf(stores, id, fields).includes(key);
      return isHere ? [] : [`${id}: has no business in ${key}`];
    }),
  );
  return found.flat();
}

function placesOf(stores: TaskStores, id: string, fields: Record<string, string>): readonly string[] {
  const { owner = '', context = '', state = '' } = fields;
  const base = `${stores.keys.index(shardOf(id))}:${owner}`;
  return [base, `${base}:c:${context}`, `${base}:s:${state}`, `${base}:b:${state}:${context}`];
}

/** Keys that belong to a task that is gone. */
function strayKeys(keys: readonly string[], ids: ReadonlySet<string>): readonly string[] {
  return keys.flatMap((key) => {
    const id = /:task:([0-9a-f-]{36}):/.exec(key)?.[1];
    return id === undefined || ids.has(id) ? [] : [`${id}: is gone, but ${key} stayed`];
  });
}

/** Every key of the prefix, on every node. */
export async function allKeys({ redis, options }: TaskStores): Promise<readonly string[]> {
  const nodes = redis instanceof Redis ? [redis] : redis.nodes('master');
  const keys = await Promise.all(nodes.map((node) => keysOf(node, `${options.keyPrefix}:*`)));
  return keys.flat();
}

async function keysOf(node: Redis, pattern: string): Promise<readonly string[]> {
  const keys = new Set<string>();
  let cursor = '0';
  do {
    const [next, page] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
    for (const key of page) keys.add(key);
    cursor = next;
  } while (cursor !== '0');
  return [...keys];
}

function stateOf(event: LoggedEvent['event']['value']): TaskState | undefined {
  if ('task' in event) return event.task.status.state;
  return 'statusUpdate' in event ? event.statusUpdate.status.state : undefined;
}
