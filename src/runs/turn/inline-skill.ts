import { callRefusal } from '../calls/call-rights.js';
import { contextOfChild } from '../calls/child-context.js';
import { partsOf } from '../calls/open-call.js';
import type { Policies } from '../../policy/policies.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { CallFault, CallOutcome } from '@parley/sdk/skill/calls/call.js';
import { HostedContext } from '@parley/sdk/skill/context/hosted-context.js';
import type { InlineCall, SkillHost } from '@parley/sdk/skill/context/skill-host.js';
import { resultOf } from '@parley/sdk/skill/event-result.js';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { skillFetch } from '@parley/sdk/skill/requests/skill-fetch.js';
import type { SkillRequests } from '@parley/sdk/skill/requests/skill-request.js';
import { simulatedSkill } from '../../skill/simulated-skill.js';
import { type SkillContext, SkillFailure } from '@parley/sdk/skill/skill.js';
import type { RegisteredSkill, SkillRegistry } from '../../skill/skill.registry.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';

/** The dependencies of a skill that runs without a task of its own. */
export interface InlineSources {
  readonly run: ClaimedRun;
  readonly skills: SkillRegistry;
  readonly policies: Policies;
}

/**
 * Runs a skill as the work of a step: checked like a call, but without a task. It has no state, calls, waits and
 * questions, since the journal contains only the step's result.
 */
export async function runInline(
  host: SkillHost,
  sources: InlineSources,
  { key, skillId, input }: InlineCall,
): Promise<CallOutcome> {
  const { run, skills, policies } = sources;
  const skill = skills.runnable(skillId);
  if (skill === undefined) return refused('unknown-skill', `there is no skill "${skillId}"`);
  const { options } = skill;
  const forbidden = callRefusal({ run, parent: skills.runnable(run.skillId)?.options, child: options }, policies);
  if (forbidden !== undefined) return refused('scope', forbidden);
  const message: Message = {
    messageId: `${run.taskId}:${String(run.turn)}:${key}`,
    role: 'ROLE_USER',
    parts: partsOf(input),
    ...contextOfChild(run, options, policies),
  };
  const violations = await skills.inputViolations(skillId, { message });
  if (violations.length === 0)
    return outcomeOf(skill, contextFor(host, { message, key, requests: skills.requests }), run);
  return refused('schema', violations.map(({ field, description }) => `${field}: ${description}`).join('; '));
}

async function outcomeOf(skill: RegisteredSkill, context: SkillContext, run: ClaimedRun): Promise<CallOutcome> {
  const handler = run.isSimulated ? simulatedSkill(skill) : skill.handler;
  const events: SkillEvent[] = [];
  try {
    for await (const event of handler.run(context)) events.push(event);
  } catch (error) {
    if (error instanceof SkillFailure) return refused('failed', error.message);
    throw error;
  }
  const result = resultOf(events);
  const last = events.findLast(({ kind }) => kind === 'status');
  const state = last?.kind === 'status' ? last.state : 'TASK_STATE_COMPLETED';
  if (state === 'TASK_STATE_REJECTED') return refused('rejected', turnContent([{ parts: result.message }]).text);
  if (state === 'TASK_STATE_COMPLETED' || state === 'TASK_STATE_WORKING') return { taskId: run.taskId, ...result };
  return refused('failed', 'it asks its caller, which a skill without a task cannot');
}

/** The context of a skill in the turn of another one: it has the skill's message, and nothing in it is numbered or journaled. */
function contextFor(
  host: SkillHost,
  { message, key, requests }: { readonly message: Message; readonly key: string; readonly requests: SkillRequests },
): SkillContext {
  const { facts } = host;
  const messages = [message];
  const idempotencyKey = `${facts.idempotencyKey}:${key}`;
  const own: Partial<SkillHost> = {
    facts: {
      ...facts,
      ...{ messages, history: messages, acceptedOutputModes: [], parentHistory: [] },
      idempotencyKey,
    },
    fetch: skillFetch(requests, { idempotencyKey, signal: () => host.signal }),
    step: (_name, work) => work(),
    now: () => Promise.resolve(Date.now()),
    random: () => Promise.resolve(Math.random()),
    // Its artifacts are no artifacts of the task.
    live: undefined,
    conversation: undefined,
  };
  return new HostedContext({ ...host, ...own });
}

function refused(why: CallFault, text: string): CallOutcome {
  return { why, text };
}
