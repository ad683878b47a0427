import type { Logger } from '@nestjs/common';
import type { Message } from '../protocol/message.js';
import type { SkillContext, SkillLog, SkillPrincipal } from '../skill/skill.js';
import { skillFetch } from '../skill/requests/skill-fetch.js';
import type { SkillFetch, SkillRequests } from '../skill/requests/skill-request.js';
import { HINT_WAIT, type HintWait } from '../skill/hint-wait.js';
import { LIVE_STEP } from '../skill/live-step.js';
import type { SkillCalls } from '../skill/calls/call.js';
import { type CallingContext, GROUP_MAKER, type GroupMaker, skillCalls } from '../skill/calls/skill-calls.js';
import { QUESTION_MAKER, type QuestionMaker, skillAsk } from '../skill/questions/ask.js';
import { turnContent } from '../skill/turn-content.js';
import { skillPublish } from '../skill/publication.js';
import type { SkillTurn } from './skill-turn.js';
import type { RunMemory } from './run-memory.js';
import type { ClaimedRun, RunStore } from '../task/run.store.js';
import { contextStateOf, runStep, taskState } from './run-values.js';
import type { TurnWaits } from './turn-waits.js';

export interface RunContextSources {
  readonly run: ClaimedRun;
  readonly store: RunStore;
  readonly memory: RunMemory;
  readonly requests: SkillRequests;
  readonly turn: Pick<SkillTurn, 'signal' | 'waits' | 'publish'>;
  readonly deadline?: Date;
  readonly logger: Logger;
}

/** The `SkillContext` of a run. Members that few skills use are created on first access. */
export function runContext(sources: RunContextSources): CallingContext {
  const { run, turn, deadline } = sources;
  let content: TurnContent | undefined;
  const turnContentOnce = (): TurnContent => (content ??= turnContent(run.messages));
  return {
    ...plainPart(run),
    get text() {
      return turnContentOnce().text;
    },
    get data() {
      return turnContentOnce().data;
    },
    get files() {
      return turnContentOnce().files;
    },
    get principal() {
      return principalOf(run);
    },
    senders: () => sendersOf(sources),
    get state() {
      return taskState(sources);
    },
    get contextState() {
      return contextStateOf(sources);
    },
    get signal() {
      return turn.signal;
    },
    ...(deadline === undefined ? {} : { deadline }),
    get log() {
      return skillLog(sources);
    },
    ...workingPart(sources),
    ...waitingPart(turn.waits),
    publish: skillPublish(turn.publish),
  };
}

function workingPart(sources: RunContextSources): Pick<CallingContext, 'step' | 'fetch'> {
  const { run, requests, turn } = sources;
  let fetch: SkillFetch | undefined;
  const live: SkillContext['step'] = (name, work) => runStep(sources, { name, isLive: true }, work);
  return {
    step: (name, work) => runStep(sources, { name }, work),
    ...{ [LIVE_STEP]: () => (turn.waits.isFresh ? live : undefined) },
    fetch: (url, request) => {
      fetch ??= skillFetch(requests, { idempotencyKey: idempotencyKeyOf(run), signal: turn.signal });
      return fetch(url, request);
    },
  };
}

type WaitingPart = Pick<
  CallingContext,
  'sleep' | 'waitFor' | 'ask' | 'now' | 'random' | keyof SkillCalls | typeof GROUP_MAKER
> & {
  readonly [QUESTION_MAKER]: QuestionMaker;
  readonly [HINT_WAIT]: HintWait;
};

function waitingPart(waits: TurnWaits): WaitingPart {
  const make: GroupMaker = (group) => waits.calls.make(group);
  const askOnce: QuestionMaker = (question) => waits.ask(question);
  const ask = skillAsk(askOnce);
  return {
    sleep: (ms) => waits.sleep(ms),
    waitFor: (options) => waits.waitFor(options),
    now: () => waits.now(),
    random: () => waits.random(),
    ask,
    [QUESTION_MAKER]: askOnce,
    [HINT_WAIT]: (ms) => waits.waitForHint(ms),
    [GROUP_MAKER]: make,
    ...skillCalls(make, ask),
  };
}

function plainPart(run: ClaimedRun) {
  const { taskId, contextId, turn, attempt, messages, history, metadata, acceptedOutputModes } = run;
  return {
    rootId: run.traits.tree?.root ?? taskId,
    ...{ taskId, contextId, turn, attempt, messages, history, metadata, acceptedOutputModes },
    idempotencyKey: idempotencyKeyOf(run),
    // Read and checked by the registered skill, which knows its contract.
    input: undefined,
    memory: {},
  };
}

function idempotencyKeyOf({ taskId, turn }: ClaimedRun): string {
  return `${taskId}:${String(turn)}`;
}

function principalOf({ tenant, client, subject }: ClaimedRun): SkillPrincipal {
  return { tenant, client, ...(subject === '' ? {} : { subject }) };
}

/** The first message of a task is its creator's; the sender of each further one was recorded with it. */
async function sendersOf({ run, memory }: RunContextSources): ReturnType<SkillContext['senders']> {
  const [first] = run.history;
  const isFirst = ({ messageId }: Message): boolean => run.turn === 1 && messageId === first?.messageId;
  const recorded = await memory.senders.of(run.taskId, run.messages);
  return run.messages.map((message, at) => recorded[at] ?? (isFirst(message) ? principalOf(run) : undefined));
}

type TurnContent = ReturnType<typeof turnContent>;

/** A repeated run does not say again what the run before it has said. */
function skillLog({ run, logger, turn }: RunContextSources): SkillLog {
  const ids = { taskId: run.taskId, contextId: run.contextId, skill: run.skillId };
  return {
    info: (message, fields) => {
      if (turn.waits.replay.isReplaying) return;
      logger.log({ ...fields, ...ids, event: 'skill.said', message });
    },
    warn: (message, fields) => {
      if (turn.waits.replay.isReplaying) return;
      logger.warn({ ...fields, ...ids, event: 'skill.said', message });
    },
  };
}
