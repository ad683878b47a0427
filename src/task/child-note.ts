import type { Message } from '../protocol/message.js';
import { SUBTASK_EXTENSION } from '../protocol/subtask.js';
import type { ClaimedRun } from './claimed-run.js';
import type { CommitPlan } from './commit-plan.js';
import { agentMessage } from './agent-message.js';
import { statusEventHead, statusEventTail, statusText, type StatusText } from './task-json.js';
import type { TreePlace } from './task-record.js';

/** Most characters of what a child says in the log of its parent. */
const MOST_CHARACTERS = 1_000;

/** A child, as far as its parent's log names it. */
export interface NotedChild {
  readonly taskId: string;
  readonly contextId: string;
  readonly skillId: string;
  /** The skills and calls from the root to it. */
  readonly path: string;
  readonly tree: Pick<TreePlace, 'parent'>;
}

/**
 * The progress of a child as an event of its parent: WORKING, with the state of the child in the metadata. It changes nothing of
 * the parent but its log. Children have the context of their parent.
 */
export function childNote({ taskId, contextId, skillId, path, tree: { parent } }: NotedChild, of: StatusText): string {
  const said = textOf(of.message);
  const message = said === '' ? undefined : agentMessage(parent, contextId, said);
  const status = statusText('TASK_STATE_WORKING', Number(of.ms), message);
  const child = { taskId, skillId, path, state: of.state };
  return statusEventHead(parent, contextId) + statusEventTail(status, { [SUBTASK_EXTENSION]: child });
}

/** What a commit says to the log of its parent: what a child says now and then, and its end; '' for nothing. */
export function progressNote(run: ClaimedRun, { status, sequel }: CommitPlan, now: number): string {
  const { tree } = run.traits;
  if (tree === undefined || tree.isQuiet === true || status === undefined) return '';
  const isProgress = sequel === 'go' && status.message !== '' && run.log.mayNote(now);
  return isProgress || sequel.startsWith('end') ? childNote({ ...run, tree }, status) : '';
}

function textOf(message: string): string {
  if (message === '') return '';
  const { parts } = JSON.parse(message) as Message;
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text;
}
