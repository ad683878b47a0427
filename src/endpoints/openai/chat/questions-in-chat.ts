import type { JsonObject } from '@parley/protocol/model/json.js';
import type { TaskStatus } from '@parley/protocol/model/task.js';
import { openForms, textOfMessage, type OpenForm } from '../../../operations/open-forms.js';
import { ASK_TOOL } from './chat-input.js';

/** A call of `ask_user`, taken apart. */
export interface CallAddress {
  readonly taskId: string;
  readonly questionId: string;
  readonly isListed: boolean;
}

/** The questions of a task that waits, as calls of the client's tool. */
export function askCalls(taskId: string, status: TaskStatus): readonly JsonObject[] {
  return openForms(status).map(({ id, isListed, text, schema, expires }) => ({
    id: `call_${taskId}~${isListed ? '' : 'm:'}${id}`,
    type: 'function',
    function: {
      name: ASK_TOOL,
      arguments: JSON.stringify({ question: text, schema, ...(expires === '' ? {} : { expires }) }),
    },
  }));
}

/** Undefined for a text that is no id of such a call: it costs no read. */
export function readCallId(id: string): CallAddress | undefined {
  const [, taskId, mark, questionId] = /^call_([\w-]{1,64})~(m:)?([\w.:-]{1,128})$/.exec(id) ?? [];
  if (taskId === undefined || questionId === undefined) return undefined;
  return { taskId, questionId, isListed: mark === undefined };
}

/** The questions in words, with the schema of each answer. */
export function askedText(status: TaskStatus): string {
  const forms = openForms(status);
  const said = textOfMessage(status.message);
  if (forms.length === 1 && said !== '') return said + schemaText(forms[0]);
  return forms.map((form) => `${form.text}${schemaText(form)}`).join('\n\n');
}

function schemaText(form: OpenForm | undefined): string {
  if (form?.schema === undefined) return '';
  return `\n\nThe answer has this JSON Schema:\n\`\`\`json\n${JSON.stringify(form.schema, undefined, 2)}\n\`\`\``;
}
