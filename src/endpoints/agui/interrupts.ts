import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { TaskStatus } from '@parley/protocol/model/task.js';
import {
  type FormAddress,
  formAddress,
  isDecision,
  openForms,
  readFormAddress,
  textOfMessage,
} from '../../operations/open-forms.js';

/** Ends the id of an interrupt whose payload has the answer as its member `value`. */
const WRAPPED = '~v';

/** An interrupt id, taken apart. */
export interface InterruptAddress extends FormAddress {
  /** Whether the payload has the answer as its member `value`. */
  readonly isWrapped: boolean;
}

/** The questions as interrupts of AG-UI. @param rootId the task that takes the answers */
export function interruptsOf(status: TaskStatus, rootId: string): readonly JsonObject[] {
  // Why it asks again, where it does: the message begins with the reason, and then has the question.
  const said = textOfMessage(status.message);
  const forms = openForms(status);
  return forms.map(({ id, isListed, text, schema, expires, about }) => {
    const isWrapped = schema !== undefined && schema.type !== 'object';
    const shown = forms.length === 1 && said !== '' ? said : text;
    return {
      id: `${formAddress(rootId, { id, isListed })}${isWrapped ? WRAPPED : ''}`,
      reason: schema !== undefined && isDecision(schema) ? 'confirmation' : 'input_required',
      message: shown,
      responseSchema: isWrapped ? { type: 'object', properties: { value: schema }, required: ['value'] } : schema,
      expiresAt: expires === '' ? undefined : expires,
      metadata: { parley: about },
    };
  });
}

/** Undefined for a text that is no interrupt id: it costs no read. */
export function readInterruptId(id: string): InterruptAddress | undefined {
  const isWrapped = id.endsWith(WRAPPED);
  const address = readFormAddress(isWrapped ? id.slice(0, -WRAPPED.length) : id);
  return address && { ...address, isWrapped };
}

/** The id of the message with a task's question: it names the task, for an answer that is typed. */
export function questionMessageId(taskId: string, { messageId }: Pick<Message, 'messageId'>): string {
  return `${taskId}/?${messageId}`;
}

/** The task whose question a message is; undefined for another message. */
export function askingTaskOf(messageId: string): string | undefined {
  return /^([\w-]{1,64})\/\?/.exec(messageId)?.[1];
}
