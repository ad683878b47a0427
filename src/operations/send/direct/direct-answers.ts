import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import { isDebug } from '@parley/protocol/extension/context-extension.js';
import { type JsonObject, wellFormed } from '@parley/protocol/model/json.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { permittedState } from '../../../policy/permitted-state.js';
import { type AuditedCaller, Policies } from '../../../policy/policies.js';
import type { PolicyCaller } from '../../../policy/policy.js';
import { directReply } from '../../../skill/direct-reply.js';
import { skillCalls } from '@parley/sdk/skill/calls/skill-calls.js';
import type { SkillTools } from '@parley/sdk/skill/tools/skill-tool.js';
import { skillTools, type ToolRun } from '@parley/sdk/skill/tools/skill-tools.js';
import { skillPublish } from '@parley/sdk/skill/publication.js';
import { skillAsk } from '@parley/sdk/skill/questions/ask.js';
import { fleetingState, operatorState, scopedState } from '@parley/sdk/skill/shared/scoped-state.js';
import type { SharedState, SkillContext } from '@parley/sdk/skill/skill.js';
import type { Principal } from '../../../auth/principal.js';
import { simulatedSkill } from '../../../skill/simulated-skill.js';
import { NO_SIMULATED_REQUESTS } from '@parley/sdk/skill/simulation/simulated-requests.js';
import { simulatedTools } from '@parley/sdk/skill/simulation/simulated-tools.js';
import { skillFetch } from '@parley/sdk/skill/requests/skill-fetch.js';
import { type RegisteredSkill, SkillRegistry } from '../../../skill/skill.registry.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';
import {
  ContextFull,
  ContextStore,
  OF_USER,
  type RememberedContext,
  simulatedOwner,
} from '../../../tasks/values/context.store.js';
import { OperatorValues } from '../../../tasks/values/operator-values.store.js';
import { clientAccount } from '../../../tasks/record/new-task.js';
import { type Accounts, accountsOf } from '../../../tasks/record/task-record.js';
import { senderOf } from '../sender.js';
import type { Call } from '../../call.js';
import { CallLimit } from './call-limit.js';
import { DirectSlots } from './direct-slots.js';

/** Time limit of a direct skill without its own, including the wait for its slot. */
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
    private readonly operators: OperatorValues,
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
    const deadline = new Date(Date.now() + timeoutMs);
    const limit = new CallLimit(call.presence, timeoutMs);
    const { signal } = limit;
    const leave = await this.slots.take(id, concurrency, signal);
    if (leave === undefined) {
      limit.release();
      throw busy();
    }
    const context = this.context(request, call, { contextId, signal, skill: id });
    const isSimulated = isDebug(request.message);
    const handler = isSimulated ? simulatedSkill(skill) : skill.handler;
    const reply = directReply(handler.run({ ...context, deadline }));
    void reply.then(leave, leave);
    const { parts, metadata } = await limit.hold(reply).catch((cause: unknown) => {
      if (cause instanceof ContextFull) throw contextFull(contextId, cause);
      throw limit.isLate ? new A2AError('InternalError', 'The skill took too long.', { cause }) : cause;
    });
    const marks = { ...metadata, ...marksOf(request) };
    return wellFormed({
      ...{ messageId: randomUUID(), role: 'ROLE_AGENT', contextId, parts },
      ...(Object.keys(marks).length === 0 ? {} : { metadata: marks }),
    });
  }

  /** A direct skill has no task: its ids are those of this call, and its task state ends with the call. */
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
    const isSimulated = isDebug(message);
    const requests = isSimulated ? NO_SIMULATED_REQUESTS : this.skills.requests;
    const rememberer = isSimulated ? simulatedOwner(owner) : owner;
    const remembered = { contextId, owner: rememberer, accounts: accountsOfCaller(principal) };
    return {
      ...(isSimulated ? { isSimulated } : {}),
      ...{ taskId: '', rootId: '', contextId, turn: 1, attempt: 1, idempotencyKey },
      fetch: skillFetch(requests, { idempotencyKey, signal }),
      ...{ messages, history: messages, metadata, signal, input: undefined, memory: {}, ...turnContent(messages) },
      acceptedOutputModes: configuration?.acceptedOutputModes ?? [],
      principal: sender,
      senders: () => Promise.resolve([sender]),
      state: fleetingState(),
      ...this.statesOf({ ...sender, skill }, remembered),
      log: { info: say, warn: say },
      step: (_name, work) => work(),
      tools: this.toolsOf(skill, isSimulated, { ...sender, idempotencyKey, signal: () => signal }),
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
    caller: AuditedCaller & { readonly skill: string },
    remembered: RememberedContext,
  ): Pick<SkillContext, 'contextState' | 'shared'> {
    const stored = (contextId: string): SharedState =>
      permittedState(this.policies, caller, this.contexts.of({ ...remembered, contextId }));
    const contextState = stored(remembered.contextId);
    const app = permittedState(
      this.policies,
      caller,
      operatorState((name) => this.operators.get(caller.tenant, name)),
    );
    const states = { tree: fleetingState(), temp: fleetingState(), context: contextState, user: stored(OF_USER), app };
    return { contextState, shared: scopedState((scope) => states[scope]) };
  }

  private refusalOf(caller: PolicyCaller, id: string): string | undefined {
    return this.policies.current.mayCall(caller, id).isAllowed
      ? undefined
      : `the policy does not let the caller use "${id}"`;
  }

  private toolsOf(
    skill: string,
    isSimulated: boolean,
    run: Pick<ToolRun, 'tenant' | 'idempotencyKey' | 'signal'> & { readonly client: string },
  ): SkillTools {
    const declared = this.skills.find(skill)?.options.tools;
    const step: ToolRun['step'] = (_name, work) => work();
    return skillTools({
      ...run,
      taskId: '',
      servers: isSimulated ? simulatedTools(this.skills.tools) : this.skills.tools,
      declared,
      refusal: (id) => this.refusalOf(run, id),
      step,
      ask: NO_QUESTIONS,
      call: NO_CALLS.call,
    });
  }
}

const noTask = (): Promise<never> =>
  Promise.reject(new Error('A direct skill has no task, with which artifacts could be stored'));

/** The members of the request's metadata copied to the answer (`MessageContexts.checked`). */
function marksOf({ metadata = {} }: SendMessageRequest): JsonObject {
  return Object.fromEntries(
    [SIMULATED, SCOPE_EXTENSION].filter((name) => name in metadata).map((name) => [name, metadata[name]]),
  );
}

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

/** The accounts charged for context state; none without authentication. */
function accountsOfCaller({ tenant, client, method }: Principal): Accounts {
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
