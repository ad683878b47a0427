import type { Logger } from '@nestjs/common';
import type { Message } from '@parley/protocol/model/message.js';
import { parentHistoryOf } from '@parley/sdk/skill/artifacts/skill-artifacts.js';
import { HostedContext } from '@parley/sdk/skill/context/hosted-context.js';
import type { SkillHost, TurnFacts } from '@parley/sdk/skill/context/skill-host.js';
import { skillFetch } from '@parley/sdk/skill/requests/skill-fetch.js';
import type { SkillRequests } from '@parley/sdk/skill/requests/skill-request.js';
import { simulatedTools } from '@parley/sdk/skill/simulation/simulated-tools.js';
import type { SkillContext, SkillLog, SkillPrincipal } from '@parley/sdk/skill/skill.js';
import { skillTools, type ToolRun } from '@parley/sdk/skill/tools/skill-tools.js';
import type { SkillRegistry } from '../../skill/skill.registry.js';
import type { ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { conversationOf, hasOtherTasks } from './conversation.js';
import { runInline } from './inline-skill.js';
import type { RunMemory } from './run-memory.js';
import { runStep, sharedOf, taskState } from './run-values.js';
import type { SkillTurn } from './skill-turn.js';

export interface RunSources {
  readonly run: ClaimedRun;
  readonly store: RunStore;
  readonly memory: RunMemory;
  readonly skills: SkillRegistry;
  readonly requests: SkillRequests;
  readonly tools: Pick<ToolRun, 'servers' | 'declared' | 'refusal'>;
  readonly turn: Pick<SkillTurn, 'signal' | 'waits' | 'publish' | 'live'>;
  readonly deadline?: Date;
  readonly logger: Logger;
}

/** The context of a skill that a worker runs. */
export function runContext(sources: RunSources): SkillContext {
  return new HostedContext(runHost(sources));
}

/** The host of a run of a task: its values, steps, calls and waits are in Redis, by the journal of its turn. */
function runHost(sources: RunSources): SkillHost {
  const { run, memory, skills, requests, tools, turn } = sources;
  const { waits } = turn;
  const facts = factsOf(sources);
  const host: SkillHost = {
    kind: 'a task',
    facts,
    // The signal is made at its first use: most skills never use it.
    get signal() {
      return turn.signal;
    },
    senders: () => sendersOf(sources),
    state: taskState(sources),
    shared: sharedOf(sources),
    log: skillLog(sources),
    fetch: skillFetch(requests, { idempotencyKey: facts.idempotencyKey, signal: () => turn.signal }),
    step: (name, work, options) => runStep(sources, { ...options, name }, work),
    live: turn.live,
    model: skills.model,
    catalog: skills.catalog,
    ...conversing(sources),
    sleep: (ms) => waits.sleep(ms),
    waitFor: (options) => waits.waitFor(options),
    waitForHint: (ms) => waits.waitForHint(ms),
    now: () => waits.now(),
    random: () => waits.random(),
    ask: (question, until) => waits.ask(question, until),
    calls: (group) => waits.calls.make(group),
    publish: turn.publish,
    artifacts: {
      put: (name, content) => waits.tree.artifacts.put(name, content),
      get: (reference) => waits.tree.artifacts.get(reference),
      references: () => waits.tree.artifacts.references(),
    },
    tools: (calling) =>
      skillTools({ ...calling, ...tools, servers: run.isSimulated ? simulatedTools(tools.servers) : tools.servers }),
    reserve: (wanted) => memory.trees.budget.reserve(run, wanted),
    inline: (call) => runInline(host, { run, skills, policies: memory.contexts.policies }, call),
  };
  return host;
}

/** The conversation of a context that may have other tasks: for a root only, since a child is asked by its parent. */
function conversing({ run, memory, skills }: RunSources): Pick<SkillHost, 'conversation'> {
  const { index, policies } = memory.contexts;
  if (run.traits.tree !== undefined || !hasOtherTasks(run)) return {};
  return { conversation: (wanted) => conversationOf({ index, skills, policies }, run, wanted) };
}

function factsOf({ run, deadline }: RunSources): TurnFacts {
  const { taskId, contextId, turn, attempt, messages, history, metadata, acceptedOutputModes, traits } = run;
  return {
    ...{ taskId, contextId, turn, attempt, messages, history, metadata, acceptedOutputModes, deadline },
    rootId: traits.tree?.root ?? taskId,
    idempotencyKey: `${taskId}:${String(turn)}`,
    // Only a parent passes a history on: a root has none.
    parentHistory: traits.tree === undefined ? [] : parentHistoryOf(history[0]),
    principal: principalOf(run),
    isSimulated: run.isSimulated ? true : undefined,
  };
}

function principalOf({ tenant, client, subject }: ClaimedRun): SkillPrincipal {
  return { tenant, client, ...(subject === '' ? {} : { subject }) };
}

/** The first message of a task is its creator's; the sender of each further one was recorded with it. */
async function sendersOf({ run, memory }: RunSources): ReturnType<SkillContext['senders']> {
  const [first] = run.history;
  const isFirst = ({ messageId }: Message): boolean => run.turn === 1 && messageId === first?.messageId;
  const recorded = await memory.senders.of(run.taskId, run.messages);
  return run.messages.map((message, at) => recorded[at] ?? (isFirst(message) ? principalOf(run) : undefined));
}

/** A repeated run does not log the lines of the run before it again. */
function skillLog({ run, logger, turn }: RunSources): SkillLog {
  const say =
    (level: 'log' | 'warn'): SkillLog['info'] =>
    (message, fields) => {
      if (turn.waits.replay.isReplaying) return;
      const ids = { taskId: run.taskId, contextId: run.contextId, skill: run.skillId };
      logger[level]({ ...fields, ...ids, event: 'skill.said', message });
    };
  return { info: say('log'), warn: say('warn') };
}
