import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { A2AError } from '../../protocol/errors.js';
import { wellFormed } from '../../protocol/json.js';
import type { Message } from '../../protocol/message.js';
import type { SendMessageRequest } from '../../protocol/operations.js';
import { permittedState } from '../../policy/permitted-state.js';
import { Policies } from '../../policy/policies.js';
import { directReply } from '../../skill/direct-reply.js';
import { skillCalls } from '../../skill/calls/skill-calls.js';
import type { SkillTools } from '../../skill/tools/skill-tool.js';
import { skillTools, type ToolRun } from '../../skill/tools/skill-tools.js';
import { skillPublish } from '../../skill/publication.js';
import { skillAsk } from '../../skill/questions/ask.js';
import { fleetingState, scopedState } from '../../skill/shared/scoped-state.js';
import type { SharedState, SkillContext } from '../../skill/skill.js';
import type { Principal } from '../../security/auth/principal.js';
import { skillFetch } from '../../skill/requests/skill-fetch.js';
import { type RegisteredSkill, SkillRegistry } from '../../skill/skill.registry.js';
import { turnContent } from '../../skill/turn-content.js';
import { ContextFull, ContextStore, OF_USER } from '../../task/context.store.js';
import { clientAccount } from '../../task/new-task.js';
import { accountsOf } from '../../task/task-record.js';
import { senderOf } from './sender.js';
import type { Call } from '../call.js';
import { DirectSlots } from './direct-slots.js';

/** A direct skill that says nothing about its time has ten seconds, the wait for its turn included. */
const DIRECT_MS = 10_000;
/** `Retry-After` in seconds when a skill is at its concurrency limit. */
const RETRY_AFTER_S = 1;

/** Answers with a Message, without a task: runs a direct skill at once, in this process (A2A-SEND-04, -22). */
@Injectable()
export class DirectAnswers {
  private readonly log = new Logger(DirectAnswers.name);
  private readonly slots = new DirectSlots();

  constructor(
    private readonly contexts: ContextStore,
    private readonly skills: SkillRegistry,
    private readonly policies: Policies,
  ) {}

  /**
   * Answers within the skill's time limit, even if the skill ignores its abort signal. Such a skill continues alone and
   * keeps its concurrency slot.
   * @throws A2AError InternalError after the time limit, Unavailable when no slot became free; and errors of the skill
   */
  async answer(skill: RegisteredSkill, request: SendMessageRequest, call: Call): Promise<Message> {
    // Nothing of the message is stored.
    call.stored?.();
    const { id, timeoutMs = DIRECT_MS, concurrency } = skill.options;
    const contextId = request.message.contextId ?? randomUUID();
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([call.presence.signal, late]);
    const deadline = new Date(Date.now() + timeoutMs);
    const leave = await this.slots.take(id, concurrency, signal);
    if (leave === undefined) throw busy();
    const context = this.context(request, call, { contextId, signal, skill: id });
    const reply = directReply(skill.handler.run({ ...context, deadline }));
    void reply.then(leave, leave);
    const { parts, metadata } = await beforeAbort(reply, signal).catch((cause: unknown) => {
      if (cause instanceof ContextFull) throw contextFull(contextId, cause);
      throw late.aborted ? new A2AError('InternalError', 'The skill took too long.', { cause }) : cause;
    });
    return wellFormed({
      ...{ messageId: randomUUID(), role: 'ROLE_AGENT', contextId, parts },
      ...(metadata === undefined ? {} : { metadata }),
    });
  }

  /** A direct skill has no task: its ids are of this one call, and what it keeps for the task ends with the call. */
  private context(
    { message, metadata = {}, configuration }: SendMessageRequest,
    { principal, owner }: Call,
    { contextId, signal, skill }: { contextId: string; signal: AbortSignal; skill: string },
  ): SkillContext {
    const sender = senderOf(principal);
    const say = (message: string, fields?: object): void => {
      this.log.log({ ...fields, event: 'skill.said', skill, contextId, message });
    };
    const messages = [{ ...message, contextId }];
    const idempotencyKey = `${owner}:${message.messageId}`;
    return {
      ...{ taskId: '', rootId: '', contextId, turn: 1, attempt: 1, idempotencyKey },
      fetch: skillFetch(this.skills.requests, { idempotencyKey, signal }),
      ...{ messages, history: messages, metadata, signal, input: undefined, memory: {}, ...turnContent(messages) },
      acceptedOutputModes: configuration?.acceptedOutputModes ?? [],
      principal: sender,
      senders: () => Promise.resolve([sender]),
      state: fleetingState(),
      ...this.statesOf(contextId, { owner, principal, skill }),
      log: { info: say, warn: say },
      step: (_name, work) => work(),
      tools: this.toolsOf(skill, { tenant: sender.tenant, idempotencyKey, signal: () => signal }),
      sleep: (ms) => pause(ms, undefined, { signal }),
      waitFor: () => Promise.reject(new Error('A direct skill has no task, to which a message could come')),
      now: () => Promise.resolve(Date.now()),
      random: () => Promise.resolve(Math.random()),
      publish: NO_EVENTS,
      artifacts: { put: noTask, get: noTask },
      references: noTask,
      parentHistory: [],
      ask: NO_QUESTIONS,
      ...NO_CALLS,
    };
  }

  /** Values of the tree and of the turn end with the call. */
  private statesOf(
    contextId: string,
    { owner, principal, skill }: Pick<Call, 'owner' | 'principal'> & { readonly skill: string },
  ): Pick<SkillContext, 'contextState' | 'shared'> {
    const caller = { ...senderOf(principal), skill };
    const stored = (id: string): SharedState =>
      permittedState(
        this.policies,
        caller,
        this.contexts.of({ owner, contextId: id, accounts: accountsOfCaller(principal) }),
      );
    const contextState = stored(contextId);
    const states = { tree: fleetingState(), temp: fleetingState(), context: contextState, user: stored(OF_USER) };
    return { contextState, shared: scopedState((scope) => states[scope]) };
  }

  private toolsOf(skill: string, run: Pick<ToolRun, 'tenant' | 'idempotencyKey' | 'signal'>): SkillTools {
    const declared = this.skills.find(skill)?.options.tools;
    const step: ToolRun['step'] = (_name, work) => work();
    return skillTools({
      ...run,
      taskId: '',
      servers: this.skills.tools,
      declared,
      step,
      ask: NO_QUESTIONS,
      call: NO_CALLS.call,
    });
  }
}

const noTask = (): Promise<never> =>
  Promise.reject(new Error('A direct skill has no task, with which artifacts could be stored'));

const NO_EVENTS = skillPublish(() => {
  throw new Error('A direct skill has no task, with which events could be stored');
});

const NO_QUESTIONS = skillAsk(() =>
  Promise.reject(new Error('A direct skill has no task, which could wait for answers')),
);

const NO_CALLS = skillCalls(
  () => Promise.reject(new Error('A direct skill has no task, which could have children')),
  NO_QUESTIONS,
);

/** For whom the state of a context counts; without authentication for nobody. */
function accountsOfCaller({ tenant, client, method }: Principal): readonly [string, string] {
  return accountsOf(method === 'local' ? { tenant } : { tenant, client: clientAccount(tenant, client) });
}

function contextFull(contextId: string, cause: ContextFull): A2AError {
  const text = 'The context has as much state as a context may have: begin another one';
  return new A2AError('UnsupportedOperation', text, { cause, metadata: { contextId } });
}

function busy(): A2AError {
  return new A2AError('Unavailable', 'The skill is at its concurrency limit: please try again', {
    retryAfterSeconds: RETRY_AFTER_S,
  });
}

/** The work's outcome, or a rejection with the signal's reason as soon as it aborts. The work itself continues. */
async function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('The caller has disconnected'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
