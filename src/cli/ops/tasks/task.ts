import type { INestApplicationContext } from '@nestjs/common';
import { printableLine } from '@parley/protocol/json/printable.js';
import { CommandRedis } from '../../../platform/redis/connection/connections.js';
import { knownProcesses, type RunningProcess } from '../../../platform/redis/running-processes.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { isInterrupted, isTerminal } from '@parley/protocol/model/task-state.js';
import { ConfigStore } from '../../../webhooks/config/config.store.js';
import type { AttemptLog } from '../../../webhooks/delivery/attempt/attempt.sender.js';
import { PushOptions } from '../../../webhooks/push.options.js';
import { EventLog, type LoggedEvent } from '../../../tasks/commit/event-log.js';
import { type TaskFacts, TaskInspector } from '../../../tasks/lists/task-inspector.js';
import type { LoggedRun } from '../../../tasks/commit/run-log.js';
import { type TaskWork, TaskWorkReader } from '../../../tasks/store/task-work.js';
import { CancelCascade } from '../../../tasks/tree/cancel-cascade.js';
import { OperatorError } from '../operator-error.js';
import { oneLine, type Output, table } from '../output.js';
import { stateName, wholeNumber } from './tasks.js';

export interface TaskViewOptions {
  /** Number of latest events to show. */
  readonly events: string;
}

interface Webhook {
  readonly id: string;
  readonly receiver: string;
  /** Reason of the stop; absent while the webhook is active. */
  readonly stopped?: string;
  /** The time of the next attempt; absent when nothing is left to deliver, or it is in progress. */
  readonly next?: string;
}

interface TaskView extends TaskFacts, TaskWork {
  /** The processes that ran it, as far as they are known. */
  readonly processes: readonly RunningProcess[];
  readonly log: readonly EventLine[];
  readonly webhooks: readonly Webhook[];
  readonly attemptsToDeliver: readonly AttemptLog[];
}

interface EventLine {
  readonly seq: number;
  readonly kind: string;
  /** State, or artifact with its size. */
  readonly what: string;
}

/** One task: state, owner, run, latest events, webhooks and their attempts. @throws OperatorError for an unknown one */
export async function showTask(
  service: INestApplicationContext,
  id: string,
  options: TaskViewOptions,
): Promise<Output> {
  const facts = await factsOf(service, id);
  const most = wholeNumber(options.events);
  const log = service.get(EventLog, { strict: false });
  const [work, events, { webhooks, attempts }, known] = await Promise.all([
    service.get(TaskWorkReader, { strict: false }).of(id),
    log.from(id, Math.max(1, facts.events - most + 1), most),
    webhooksOf(service, facts),
    processesOf(service),
  ]);
  const view: TaskView = {
    ...facts,
    ...work,
    processes: known.filter(
      ({ id: worker }) => worker === facts.run?.worker || work.runs.some((run) => run.worker === worker),
    ),
    log: events.map(eventLine),
    webhooks,
    attemptsToDeliver: attempts.map((text) => JSON.parse(text) as AttemptLog),
  };
  return { json: view, text: textOf(view) };
}

/** Cancels a task of any owner, and its descendants at once. @throws OperatorError for an unknown or ended task */
export async function cancelTask(service: INestApplicationContext, id: string): Promise<Output> {
  const { owner } = await factsOf(service, id);
  const outcome = await service.get(CancelCascade, { strict: false }).cancelTree(owner, id);
  switch (outcome.kind) {
    case 'not-found':
      throw new OperatorError(`Unknown task: ${id}`);
    case 'terminal':
      throw new OperatorError(`The task is ${stateName(outcome.state)} and cannot be canceled.`);
    case 'canceled':
      return { json: { id, outcome: outcome.kind }, text: 'Canceled.' };
    case 'requested':
      return { json: { id, outcome: outcome.kind }, text: 'Cancel requested: its worker stops the skill.' };
  }
}

async function factsOf(service: INestApplicationContext, id: string): Promise<TaskFacts> {
  const facts = await service.get(TaskInspector, { strict: false }).inspect(id);
  if (facts === undefined) throw new OperatorError(`Unknown task: ${id}`);
  return facts;
}

async function webhooksOf(
  service: INestApplicationContext,
  { owner, id }: TaskFacts,
): Promise<{ readonly webhooks: readonly Webhook[]; readonly attempts: readonly string[] }> {
  const store = service.get(ConfigStore, { strict: false });
  const [records, history, nexts] = await Promise.all([
    store.list(owner, id),
    store.history(owner, id),
    store.nextAttempts(owner, id),
  ]);
  const webhooks = (records ?? []).map(({ id: configId, url: receiver }) => {
    const [why, next] = [history?.stopped[configId], nexts.get(configId)];
    if (why === undefined)
      return { id: configId, receiver, ...(next === undefined ? {} : { next: new Date(next).toISOString() }) };
    const { reason, at } = JSON.parse(why) as { reason: string; at: string };
    return { id: configId, receiver, stopped: `${reason} at ${at}` };
  });
  return { webhooks, attempts: history?.attempts ?? [] };
}

/** Running processes, and those that ended within a week. */
function processesOf(service: INestApplicationContext): Promise<readonly RunningProcess[]> {
  const redis = service.get<CommandRedis>(CommandRedis, { strict: false });
  const { keyPrefix } = service.get<PushOptions>(PushOptions, { strict: false });
  return knownProcesses(redis, keyPrefix);
}

/** The location of a process: in Kubernetes `kubectl logs <host>` shows its lines. */
function processText({ role, version, host = 'unknown host', pid }: RunningProcess): string {
  return `${role} ${version} on ${oneLine(host)}${pid === undefined ? '' : `, pid ${String(pid)}`}`;
}

function eventLine({ seq, event }: LoggedEvent): EventLine {
  const value: StreamResponse = event.value;
  const bytes = `${String(Buffer.byteLength(event.text))} bytes`;
  if ('statusUpdate' in value) {
    const { state, timestamp } = value.statusUpdate.status;
    return { seq, kind: 'status', what: `${stateName(state)} ${timestamp}` };
  }
  if ('artifactUpdate' in value) {
    const { artifact } = value.artifactUpdate;
    return { seq, kind: 'artifact', what: `${artifact.artifactId} (${bytes})` };
  }
  return { seq, kind: 'task' in value ? 'task' : 'message', what: bytes };
}

function textOf(view: TaskView): string {
  const events = table(
    ['event', 'kind', 'what'],
    view.log.map(({ seq, kind, what }) => [String(seq), kind, what]),
    'No events stored.',
  );
  const runs = table(['run', 'turn', 'attempt', 'worker', 'begun', 'took', 'how'], view.runs.map(runCells), 'No runs.');
  const steps = view.steps.map(({ turn, name, bytes, begun = '', ms }) => [
    ...[name, String(turn), begun, ms === undefined ? '' : `${String(ms)} ms`, String(bytes)],
  ]);
  const stepped = steps.length === 0 ? [] : [table(['step', 'turn', 'begun', 'took', 'bytes'], steps)];
  const hooks = table(
    ['webhook', 'receiver', 'next attempt', 'stopped'],
    view.webhooks.map(({ id: hook, receiver, next, stopped }) => [hook, receiver, next ?? '', stopped ?? '']),
    'No webhooks.',
  );
  const tries = view.attemptsToDeliver.map(({ at, configId, seq, attempt, outcome, status, reason, ms }) => [
    ...[at, configId, String(seq), String(attempt), outcome, String(status ?? reason ?? ''), `${String(ms)} ms`],
  ]);
  const attempted = ['attempted', 'webhook', 'event', 'attempt', 'outcome', 'answer', 'took'];
  return [
    factsText(view),
    runs,
    ...processTable(view),
    ...faultsOf(view),
    ...stepped,
    events,
    hooks,
    ...(tries.length === 0 ? [] : [table(attempted, tries)]),
  ].join('\n\n');
}

function processTable({ processes }: TaskView): readonly string[] {
  const rows = processes.map((one) => [one.id, processText(one)]);
  return rows.length === 0 ? [] : [table(['worker', 'process'], rows)];
}

/** The errors of failed runs, each below the number of its run. */
function faultsOf({ runs }: TaskView): readonly string[] {
  const lines = runs.flatMap(({ fault }, at) => {
    if (fault === undefined) return [];
    const { type, message, reference } = fault;
    const said = `run ${String(at + 1)}: ${oneLine(type)}: ${oneLine(message)}`;
    return reference === undefined ? [said] : [`${said} (reference ${reference})`];
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function factsText(view: TaskView): string {
  const { id, owner, contextId, skill, state, since, reason, turn, attempts, bytes } = view;
  const rows = [
    ...[
      ['task', id],
      [
        'state',
        `${stateName(state)} since ${since}${view.isCancelRequested && !isTerminal(state) ? ', cancel requested' : ''}`,
      ],
      ...(reason === undefined ? [] : [['reason', oneLine(reason)]]),
      ['owner', owner],
      ['context', contextId],
    ],
    ...[
      ['skill', skill === '' ? 'none' : skill],
      ['turn', `${String(turn)}, attempts without progress: ${String(attempts)}`],
      ['run', runText(view)],
      ['stored', `${String(bytes.messages)} bytes of messages, ${String(bytes.results)} of results and events`],
      ...(view.traceId === undefined ? [] : [['trace', view.traceId]]),
    ],
  ];
  return rows.map(([name = '', value = '']) => `${name.padEnd(10)}${printableLine(value)}`).join('\n');
}

function runCells({ turn, attempt, worker, begun, ended, how = 'running' }: LoggedRun, at: number): readonly string[] {
  const took = ended === undefined ? '' : `${String(Date.parse(ended) - Date.parse(begun))} ms`;
  return [String(at + 1), String(turn), String(attempt), worker, begun, took, how];
}

const WAITS = { children: 'its children', remote: 'another agent', answer: 'an answer' } as const;

function awaitedText(signals: readonly string[]): string {
  if (signals.length === 0) return '';
  return signals.includes('*')
    ? ', or until a message arrives'
    : `, or until a message with this signal arrives: ${signals.join(', ')}`;
}

function runText({ run, parked, processes, state, ahead, answerBy }: TaskView): string {
  if (parked !== undefined) {
    const { until, waitsFor, signals } = parked;
    if (waitsFor !== undefined)
      return `none, the task waits for ${WAITS[waitsFor]}, until ${answerBy ?? until} at the latest`;
    return `none, the task is parked until ${until}${awaitedText(signals)}`;
  }
  if (run !== undefined) {
    const left = `its lease ends in ${(run.leaseEndsInMs / 1000).toFixed(1)} s`;
    const process = processes.find(({ id }) => id === run.worker);
    return `${run.worker} (${process === undefined ? 'not known' : processText(process)}), ${left}`;
  }
  if (isTerminal(state)) return 'none, the task has ended';
  if (isInterrupted(state)) return 'none, the task waits for an answer';
  return ahead === undefined
    ? 'none, not in a queue yet'
    : `none, waiting; runs ahead in the queue: about ${String(ahead)}`;
}
