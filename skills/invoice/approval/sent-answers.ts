import type { Message } from '@parley/sdk';
import type { SkillContext, SkillSender } from '@parley/sdk';
import { REQUEST_KIND } from './approval-request.js';
import { interpretAnswer } from './interpret-answer.js';
import type { Answer } from './interpret-answer.js';

/** The answer of one message to the question, and its sender; undefined if the sender is unknown. */
export interface SentAnswer {
  readonly answer: Answer;
  readonly sender: SkillSender | undefined;
}

type Said = Pick<SkillContext, 'messages' | 'senders' | 'history'>;

const OTHER_FILE: Answer = {
  kind: 'unclear',
  why: 'A file was sent, but this task is about an invoice that was sent before. Start a new task for another invoice.',
};

/** The messages of this turn after the question: earlier ones do not answer it. */
export async function sentAnswers({ messages, senders, history }: Said): Promise<readonly SentAnswer[]> {
  const known = await senders();
  const asked = history.findLastIndex(isQuestion);
  const after = asked < 0 ? [] : history.slice(asked + 1).map(({ messageId }) => messageId);
  return messages.flatMap((message, at) =>
    after.includes(message.messageId) ? [{ answer: answerIn(message), sender: known[at] }] : [],
  );
}

function isQuestion({ role, parts }: Message): boolean {
  return role === 'ROLE_AGENT' && parts.some((part) => 'data' in part && kindIn(part.data) === REQUEST_KIND);
}

function kindIn(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'kind' in data ? data.kind : undefined;
}

function answerIn({ parts }: Message): Answer {
  if (parts.some((part) => 'raw' in part || 'url' in part)) return OTHER_FILE;
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  return interpretAnswer({ text, data: parts.flatMap((part) => ('data' in part ? [part.data] : [])) });
}
