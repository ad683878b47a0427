import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { A2AError } from '../../protocol/errors.js';
import type { Message } from '../../protocol/message.js';
import type { SendMessageRequest } from '../../protocol/operations.js';
import { directReply } from '../../skill/direct-reply.js';
import type { SkillContext, SkillState } from '../../skill/skill.js';
import type { RegisteredSkill } from '../../skill/skill.registry.js';
import { turnContent } from '../../skill/turn-content.js';
import { ContextStore } from '../../task/context.store.js';
import type { Call } from '../call.js';

/** A direct skill that says nothing about its time answers within ten seconds, or not at all. */
const DIRECT_MS = 10_000;

/** Answers with a Message, without a task: runs a direct skill at once, in this process (A2A-SEND-04, -22). */
@Injectable()
export class DirectAnswers {
  private readonly log = new Logger(DirectAnswers.name);

  constructor(private readonly contexts: ContextStore) {}

  /** Throws `A2AError` InternalError when the skill's time is up, and what it throws itself. */
  async answer({ options, handler }: RegisteredSkill, request: SendMessageRequest, call: Call): Promise<Message> {
    const contextId = request.message.contextId ?? randomUUID();
    const timeoutMs = options.timeoutMs ?? DIRECT_MS;
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([call.presence.signal, late]);
    const context = this.context(request, call, { contextId, signal, skill: options.id });
    const deadline = new Date(Date.now() + timeoutMs);
    const reply = directReply(handler.run({ ...context, deadline }));
    const { parts, metadata } = await reply.catch((cause: unknown) => {
      throw late.aborted ? new A2AError('InternalError', 'The skill took too long.', { cause }) : cause;
    });
    return {
      ...{ messageId: randomUUID(), role: 'ROLE_AGENT', contextId, parts },
      ...(metadata === undefined ? {} : { metadata }),
    };
  }

  /** A direct skill has no task: its ids are of this one call, and what it keeps for the task ends with the call. */
  private context(
    { message, metadata = {}, configuration }: SendMessageRequest,
    { principal, owner }: Call,
    { contextId, signal, skill }: { contextId: string; signal: AbortSignal; skill: string },
  ): SkillContext {
    const { tenant, client, subject } = principal;
    const say = (message: string, fields?: object): void => {
      this.log.log({ ...fields, event: 'skill.said', skill, contextId, message });
    };
    const messages = [{ ...message, contextId }];
    return {
      ...{ taskId: '', contextId, turn: 1, attempt: 1, idempotencyKey: `${owner}:${message.messageId}` },
      ...{ messages, history: messages, metadata, signal, input: undefined, ...turnContent(messages) },
      acceptedOutputModes: configuration?.acceptedOutputModes ?? [],
      principal: { tenant, client, ...(subject === undefined ? {} : { subject }) },
      state: fleetingState(),
      contextState: this.contexts.of(owner, contextId),
      log: { info: say, warn: say },
      step: (_name, work) => work(),
    };
  }
}

function fleetingState(): SkillState {
  const values = new Map<string, unknown>();
  return {
    get: (name) => Promise.resolve(values.get(name)),
    set: (name, value) => {
      values.set(name, value);
      return Promise.resolve();
    },
  };
}
