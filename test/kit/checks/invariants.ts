import type { Artifact, Task } from '@parley/protocol/model/task.js';
import { isInterrupted, isTerminal, type TaskState, TRANSITIONS } from '@parley/protocol/model/task-state.js';
import { isOfChild } from '@parley/protocol/model/subtask.js';
import type { LoggedEvent } from '../../../src/tasks/commit/event-log.js';
import { PARKED, stateWord } from '../../../src/tasks/record/state-word.js';
import { hasOwnList, indexOf, listedUnder, listsOf } from '../../../src/tasks/record/task-lists.js';
import { memberOf, type TaskTraits, traitsOf } from '../../../src/tasks/record/task-record.js';
import { tenantScore } from '../../../src/tasks/record/tenant-score.js';
import { SHARDS, shardOf } from '../../../src/tasks/task.keys.js';
import { Redis } from 'ioredis';
import type { TaskStores } from '../tasks/task-stores.js';

const PARTS_OF_A_TASK = [
  ':history',
  ':states',
  ':journal',
  ':state',
  ':messages',
  ':push',
  ':children',
  ':held',
  ':notes',
  ':tree',
  ':questions',
];

type Fields = Record<string, string>;

/** Everything that is wrong with the stored tasks of a key prefix; empty when all invariants hold. Reads, never writes. */
export async function violations(stores: TaskStores): Promise<readonly string[]> {
  const keys = await allKeys(stores);
  const ids = keys.flatMap((key) => /:task:([0-9a-f-]{36})$/.exec(key)?.[1] ?? []);
  const found = await Promise.all(ids.map((id) => violationsOfTask(stores, id)));
  const stray = [...(await strayMembers(stores, keys, new Set(ids))), ...strayKeys(keys, new Set(ids))];
  return [...found.flat(), ...stray, ...(await strayRuns(stores)), ...(await miscounts(stores, ids))];
}

/** Whether a task waits for a worker. */
function waits({ s = '', sh }: Fields): boolean {
  const { state, nonce } = stateWord(s);
  return nonce === '' && !isTerminal(state) && (!isInterrupted(state) || sh === '1');
}

/** In the fair queues are runs that wait, and nothing else. */
async function strayRuns(stores: TaskStores): Promise<readonly string[]> {
  const shards = Array.from({ length: SHARDS }, async (_unused, shard) => {
    const queues = [stores.keys.fairQueue(shard), stores.keys.limitedQueue(shard)];
    const members = (await Promise.all(queues.map((queue) => stores.redis.zrange(queue, '0', '-1')))).flat();
    const positions = await stores.redis.exists(stores.keys.turns(shard));
    const faults = members.length === 0 && positions === 1 ? [`shard ${shard}: an empty queue has positions`] : [];
    const strangers = await Promise.all(
      members.map(async (member) => {
        const fields = await stores.redis.hgetall(stores.keys.task(member.split(' ')[0] ?? ''));
        return waits(fields) ? [] : [`${member}: is in the fair queue and does not wait`];
      }),
    );
    return [...faults, ...strangers.flat()];
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
    ...(await scheduling(stores, id, fields)),
    ...(await lifetimes(stores, id, fields)),
  ];
  return faults.map((fault) => `${id}: ${fault}`);
}

/** Events are numbered 1, 2, 3 … and the task's own number and nonce are those of the last of them. */
function numbering({ s = '' }: Fields, events: readonly LoggedEvent[]): readonly string[] {
  const faults = events.flatMap((event, at) => {
    const expected = (events[0]?.seq ?? 1) + at;
    return event.seq === expected ? [] : [`event ${event.seq} stands where ${expected} should`];
  });
  const first = events[0]?.seq;
  if (first !== 1 && events.length < 10_000) faults.push(`the log begins with event ${String(first)}`);
  const { seq, last } = stateWord(s);
  const latest = events.at(-1);
  if (seq !== latest?.seq || last !== latest.nonce)
    faults.push(`the word says event ${seq} ${last}, the last is ${String(latest?.seq)} ${String(latest?.nonce)}`);
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
    if (!('artifactUpdate' in event.value) || isOfChild(event.value)) continue;
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

/** Only a task that is worked on has a holder, or one whose turn goes on after its questions. */
function holding({ s = '', sh }: Fields): readonly string[] {
  const { state, nonce } = stateWord(s);
  return nonce !== '' && (isTerminal(state) || (isInterrupted(state) && sh !== '1'))
    ? [`is ${state} and held by a run`]
    : [];
}

async function indexing(stores: TaskStores, id: string, f: Fields): Promise<readonly string[]> {
  const places = placesOf(stores, id, f);
  const scores = await Promise.all(places.map((key) => stores.redis.zscore(key, `${msOf(f)}:${id}`)));
  const missing = scores.flatMap((score, at) => (score === null ? [`is missing from ${places[at] ?? ''}`] : []));
  const rank = await stores.redis.zscore(indexOf(stores.keys, id, traitsOf(f.i ?? '')), id);
  const wanted = tenantScore(stateWord(f.s ?? '').state, msOf(f));
  return rank === wanted ? missing : [...missing, `is ranked ${String(rank)} in its tenant, and should be ${wanted}`];
}

/** An open task is due at some time, an ended one is removed at some time, and a run that waits is in its queue or put off. */
async function scheduling(stores: TaskStores, id: string, f: Fields): Promise<readonly string[]> {
  const [due, over] = await Promise.all([
    stores.redis.zscore(stores.keys.dueOf(id), id),
    stores.redis.zscore(stores.keys.over(shardOf(id)), id),
  ]);
  const { state, nonce } = stateWord(f.s ?? '');
  const parked = await stores.redis.zscore(stores.keys.parked(shardOf(id)), id);
  const faults: string[] = [];
  if (parked !== (nonce === PARKED ? due : null))
    faults.push(`is held by ${nonce}, and parked until ${String(parked)}`);
  if (f.l !== undefined && nonce !== PARKED) faults.push('is not parked and waits for messages');
  if ((due === null) !== isTerminal(state)) faults.push(`is ${state}, and due at ${String(due)}`);
  if ((over === null) === isTerminal(state)) faults.push(`is ${state}, and is removed at ${String(over)}`);
  const traits = traitsOf(f.i ?? '');
  const queue = traits.isLimited ? stores.keys.limitedQueue(shardOf(id)) : stores.keys.fairQueue(shardOf(id));
  const place = await stores.redis.zscore(queue, memberOf(id, traits));
  const isPutOff = f.k !== undefined || Number(due) < Date.now() + 600_000;
  const held = traits.tree === undefined ? [] : await stores.redis.lrange(stores.keys.held(traits.tree.parent), 0, -1);
  const isHeld = held.some((one) => one.endsWith(` ${memberOf(id, traits)}`));
  if (waits(f) && place === null && !isPutOff && !isHeld) faults.push('waits for a worker and is in no queue');
  return faults;
}

/** Every key of a task has an end. */
async function lifetimes(stores: TaskStores, id: string, fields: Fields): Promise<readonly string[]> {
  const artifacts = (JSON.parse(fields.n ?? '[]') as string[]).map((_name, at) => `:artifact:${at + 1}`);
  const parts = ['', ...PARTS_OF_A_TASK, ...artifacts];
  const ttls = await Promise.all(parts.map((part) => stores.redis.pttl(stores.keys.task(id) + part)));
  return ttls.flatMap((ttl, at) => (ttl === -1 ? [`its key "${parts[at] ?? ''}" has no end`] : []));
}

/** The counts by skill and state are those of the tasks that are there. */
async function miscounts(stores: TaskStores, ids: readonly string[]): Promise<readonly string[]> {
  const real = new Map<string, number>();
  for (const id of ids) {
    const [word = '', traits = ''] = await stores.redis.hmget(stores.keys.task(id), 's', 'i').then(texts);
    const name = `${traitsOf(traits).skillId} ${stateWord(word).state}`;
    real.set(name, (real.get(name) ?? 0) + 1);
  }
  const counts = await stores.index.counts();
  const told = new Map(counts.map(({ skill, state, tasks }) => [`${skill} ${state}`, tasks]));
  const names = [...new Set([...real.keys(), ...told.keys()])];
  return names
    .filter((name) => real.get(name) !== told.get(name))
    .map((name) => `${name}: ${String(told.get(name))} are counted, ${String(real.get(name))} are there`);
}

function texts(values: readonly (string | null)[]): readonly string[] {
  return values.map((value) => value ?? '');
}

/** Members of lists and schedules whose task is gone or has another place. */
async function strayMembers(
  stores: TaskStores,
  keys: readonly string[],
  ids: ReadonlySet<string>,
): Promise<readonly string[]> {
  const scheduled = await Promise.all(
    Array.from({ length: SHARDS }, (_unused, shard) => [
      stores.keys.due(shard),
      stores.keys.parked(shard),
      stores.keys.over(shard),
    ])
      .flat()
      .map((key) => stores.redis.zrange(key, '0', '-1')),
  );
  const strangers = scheduled.flat().filter((id) => !ids.has(id));
  const ranked = await Promise.all(
    keys.filter((key) => key.includes('}:of:')).map((key) => stores.redis.zrange(key, '0', '-1')),
  );
  strangers.push(...ranked.flat().filter((id) => !ids.has(id)));
  const lists = keys.filter((key) => /}:(?:open|ended):/.test(key));
  const misplaced = await Promise.all(lists.map((key) => strayPlaces(stores, key)));
  return [...strangers.map((id) => `${id}: is scheduled but does not exist`), ...misplaced.flat()];
}

async function strayPlaces(stores: TaskStores, key: string): Promise<readonly string[]> {
  const members = await stores.redis.zrange(key, '0', '-1');
  const found = await Promise.all(
    members.map(async (member) => {
      const id = member.slice(member.indexOf(':') + 1);
      const fields = await stores.redis.hgetall(stores.keys.task(id));
      const isHere = member === `${msOf(fields)}:${id}` && placesOf(stores, id, fields).includes(key);
      return isHere ? [] : [`${id}: has no business in ${key}`];
    }),
  );
  return found.flat();
}

function msOf({ t = '' }: Fields): string {
  return t.slice(0, 13);
}

function placesOf(stores: TaskStores, id: string, { s = '', o = '', c = '', i = '' }: Fields): readonly string[] {
  const { state } = stateWord(s);
  const traits: TaskTraits = traitsOf(i);
  const lists = listsOf(stores.keys, id, listedUnder(o, traits), c);
  const [all, ofContext] = isTerminal(state) ? [lists.ended, lists.endedOfContext] : [lists.open, lists.openOfContext];
  const own = hasOwnList(state) ? [lists.ofState(state)] : [];
  if (!traits.isNamed) return [all, ...own];
  return [all, ofContext, ...own, ...(hasOwnList(state) ? [lists.ofStateInContext(state)] : [])];
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
