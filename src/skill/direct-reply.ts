import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { SkillFailure } from '@parley/sdk/skill/skill.js';
import type { SkillEvent } from '@parley/sdk/skill/events.js';

/** The answer of a direct skill: the content of a Message. */
export interface DirectReply {
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
}

/**
 * Runs a direct skill to its end and builds one answer: the parts of its artifacts, then those of its last message
 * (`completed`, `rejected`, `inputRequired`, …). Progress is dropped. A `SkillFailure` is an answer with its text.
 * Throws `A2AError` InvalidAgentResponse if the skill yielded nothing, and rethrows the skill's errors.
 */
export async function directReply(events: AsyncGenerator<SkillEvent, void, void>): Promise<DirectReply> {
  const parts: Part[] = [];
  try {
    for await (const event of events) {
      if (event.kind === 'artifact') {
        parts.push(...event.parts);
      } else if (event.state !== 'TASK_STATE_WORKING') {
        parts.push(...event.parts);
        return replyOf(parts, event.metadata);
      }
    }
  } catch (error) {
    if (error instanceof SkillFailure) {
      return { parts: [{ text: error.message }] };
    }
    throw error;
  }
  return replyOf(parts);
}

function replyOf(parts: readonly Part[], metadata?: JsonObject): DirectReply {
  if (parts.length === 0) {
    throw new A2AError('InvalidAgentResponse', 'The skill gave no answer');
  }
  return { parts, ...(metadata === undefined ? {} : { metadata }) };
}
