import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import { isDebug } from '@parley/protocol/extension/context-extension.js';
import { type JsonObject, wellFormed } from '@parley/protocol/model/json.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { directReply } from '../../../skill/direct-reply.js';
import { simulatedSkill } from '../../../skill/simulated-skill.js';
import type { RegisteredSkill } from '../../../skill/skill.registry.js';
import { ContextFull } from '../../../tasks/values/context.store.js';
import type { Call } from '../../call.js';
import { CallLimit } from './call-limit.js';
import { DirectHosts } from './direct-hosts.js';
import { DirectSlots } from './direct-slots.js';

/** Time limit of a direct skill without its own, including the wait for its slot. */
const DIRECT_MS = 10_000;
/** `Retry-After` in seconds when a skill is at its concurrency limit. */
const RETRY_AFTER_S = 1;

/** Answers with a Message, without a task: runs a direct skill at once, in this process (A2A-SEND-04, -22). */
@Injectable()
export class DirectAnswers {
  private readonly slots = new DirectSlots();

  constructor(private readonly hosts: DirectHosts) {}

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
    const context = this.hosts.contextOf(request, call, { contextId, signal, deadline, skill: skill.options });
    const handler = isDebug(request.message) ? simulatedSkill(skill) : skill.handler;
    const reply = directReply(handler.run(context));
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
}

/** The members of the request's metadata copied to the answer (`MessageContexts.checked`). */
function marksOf({ metadata = {} }: SendMessageRequest): JsonObject {
  return Object.fromEntries(
    [SIMULATED, SCOPE_EXTENSION].filter((name) => name in metadata).map((name) => [name, metadata[name]]),
  );
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
