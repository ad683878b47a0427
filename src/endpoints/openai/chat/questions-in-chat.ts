import type { JsonObject } from '@parley/protocol/model/json.js';
import type { TaskStatus } from '@parley/protocol/model/task.js';
import {
  type FormAddress,
  formAddress,
  openForms,
  readFormAddress,
  textOfMessage,
  type OpenForm,
} from '../../../operations/open-forms.js';
import { ASK_TOOL } from './chat-input.js';

/** Begins the ids of such calls. */
const CALL = 'call_';

/** The questions of a task that waits, as calls of the client's tool. */
export function askCalls(taskId: string, status: TaskStatus): readonly JsonObject[] {
  return openForms(status).map(({ id, isListed, text, schema, expires }) => ({
    id: `${CALL}${formAddress(taskId, { id, isListed })}`,
    type: 'function',
    function: {
      name: ASK_TOOL,
      arguments: JSON.stringify({ question: text, schema, ...(expires === '' ? {} : { expires }) }),
    },
  }));
}

/** The question of a call; undefined for a call of another tool. */
export function calledForm(callId: string): FormAddress | undefined {
  return callId.startsWith(CALL) ? readFormAddress(callId.slice(CALL.length)) : undefined;
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
