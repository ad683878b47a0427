import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { Artifact, Task } from '@parley/protocol/model/task.js';
import { textOfMessage } from '../../operations/open-forms.js';
import { questionMessageId } from './interrupts.js';

/** A message of a conversation as pages have it. */
export type PageMessage = JsonObject & { readonly id: string; readonly role: string };

/** The member of a message's metadata with what a page has said of it: `{ messageIds }` and hints. */
export const PAGE_METADATA = 'agui';

/** Bytes of a snapshot: clients buffer 10 MB of a frame. */
const MAX_SNAPSHOT = 8 * 1_048_576;

/** The id of an artifact's message. @param restarts how often the artifact began anew */
export function artifactMessageId(taskId: string, artifactId: string, restarts = 0): string {
  return `${taskId}/${artifactId}${restarts === 0 ? '' : `~${String(restarts)}`}`;
}

/** The texts of a task: of its artifacts, and of its status where a page shows it as a message. */
export function textMessages({ id, artifacts = [], status }: Task): readonly PageMessage[] {
  const texts = artifacts.map((artifact) => assistant(artifactMessageId(id, artifact.artifactId), textOf(artifact)));
  const end = statusMessage(id, status);
  return [...texts, ...(end === undefined ? [] : [end])].filter(({ content }) => content !== '');
}

/** The message of a question, or of the end of a completed task; undefined for another status. */
export function statusMessage(taskId: string, { state, message }: Task['status']): PageMessage | undefined {
  if (message === undefined) return undefined;
  if (state === 'TASK_STATE_INPUT_REQUIRED') return question(taskId, message);
  return state === 'TASK_STATE_COMPLETED' ? assistant(`${taskId}/end`, textOfMessage(message)) : undefined;
}

/** A task as a page has seen it: the words of its person, texts, earlier questions and answers. */
export function conversationOf(task: Task): readonly PageMessage[] {
  const { id, history = [] } = task;
  const first = history.findIndex(({ role }) => role === 'ROLE_AGENT');
  const [begin, rest] = first < 0 ? [history, []] : [history.slice(0, first), history.slice(first)];
  const said = (messages: readonly Message[]): readonly PageMessage[] =>
    messages.flatMap((message) => {
      if (message.role === 'ROLE_USER') return userMessages(message);
      return message.metadata?.[QUESTIONS_EXTENSION] === undefined ? [] : [question(id, message)];
    });
  return [
    ...said(begin),
    ...textMessages({ id, contextId: '', status: NOTHING, artifacts: task.artifacts ?? [] }),
  ].concat(said(rest), statusMessage(id, task.status) ?? []);
}

const NOTHING: Task['status'] = { state: 'TASK_STATE_WORKING', timestamp: '' };

/** The page's messages with those of a task: each in its place, new ones at the end; the oldest texts are cut. */
export function merged(base: readonly PageMessage[], own: readonly PageMessage[]): readonly PageMessage[] {
  const byId = new Map(base.map((message) => [message.id, message]));
  for (const message of own) byId.set(message.id, message);
  const all = [...byId.values()];
  let bytes = all.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
  return all.map((message) => {
    if (bytes <= MAX_SNAPSHOT) return message;
    const cut = { ...message, content: '', metadata: { parley: { cut: true } } };
    bytes -= JSON.stringify(message).length - JSON.stringify(cut).length;
    return cut;
  });
}

/** The texts of an artifact, as one. */
function textOf({ parts }: Artifact): string {
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('');
}

function assistant(id: string, content: string): PageMessage {
  return { id, role: 'assistant', content };
}

function question(taskId: string, message: Message): PageMessage {
  return assistant(questionMessageId(taskId, message), textOfMessage(message));
}

/** A message of the person, under the ids that the page gave its messages. Answers of forms have no words. */
function userMessages({ messageId, parts, metadata }: Message): readonly PageMessage[] {
  const content = textOfMessage({ parts });
  const page = metadata?.[PAGE_METADATA];
  const ids = isJsonObject(page) && Array.isArray(page.messageIds) ? page.messageIds : [];
  const [id = messageId] = ids.filter((one): one is string => typeof one === 'string');
  return content === '' ? [] : [{ id, role: 'user', content }];
}
