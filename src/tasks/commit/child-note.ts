import { wellFormedJson } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import { SUBTASK_EXTENSION } from '@parley/protocol/model/subtask.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { agentMessage } from '../record/agent-message.js';
import type { ClaimedRun } from './claimed-run.js';
import type { CommitPlan, TaskWrite } from './commit-plan.js';
import { statusEventHead, statusEventTail, statusText, type StatusText } from '../record/task-json.js';
import type { TreePlace } from '../record/task-record.js';

/** Maximum characters of a child's status text in the log of its parent. */
const MAX_CHARACTERS = 1_000;
/** A larger chunk of an artifact is read from the child. */
const MAX_PIECE_BYTES = 256 * 1024;

/** A child, as named in its parent's log. */
export interface NotedChild {
  readonly taskId: string;
  readonly contextId: string;
  readonly skillId: string;
  /** The skills and calls from the root to it. */
  readonly path: string;
  readonly tree: Pick<TreePlace, 'parent'>;
}

/**
 * The progress of a child as an event of its parent, in the form of lua/lib/tree/notes.lua: WORKING, with the state of
 * the child in the metadata. It changes only the parent's log. Children have the context of their parent.
 */
export function statusNote(child: NotedChild, of: StatusText): string {
  const { contextId, tree } = child;
  const said = textOf(of.message);
  const message = said === '' ? undefined : agentMessage(tree.parent, contextId, said);
  const status = statusText('TASK_STATE_WORKING', Number(of.ms), message);
  return `s${statusEventHead(tree.parent, contextId)}${statusEventTail(status, marks(child, of.state))}`;
}

/**
 * The notes of a commit for the log of its parent, in order: throttled statuses of the child, its end, and its
 * artifacts if the call shows them. '' for none.
 */
export function notesOfChild(
  run: ClaimedRun,
  { status, sequel }: Pick<CommitPlan, 'status' | 'sequel'>,
  { writes, now }: { readonly writes: readonly TaskWrite[]; readonly now: number },
): string {
  const { tree } = run.traits;
  if (tree === undefined || tree.progress === 'none') return '';
  const child = { ...run, tree };
  const isProgress = status !== undefined && sequel === 'go' && status.message !== '' && run.log.mayNote(now);
  const said = isProgress || (status !== undefined && sequel.startsWith('end')) ? [statusNote(child, status)] : [];
  if (tree.progress !== 'artifacts') return said.join('');
  const latest = writes.map(({ kind }) => kind).lastIndexOf('status');
  const notes = writes.flatMap((write, at) => (at === latest ? said : pieceNote(child, write)));
  return notes.join('\n');
}

/**
 * A chunk of an artifact as an event of the parent, under the path of the child: parents and siblings may use the same
 * names.
 */
function pieceNote(child: NotedChild & Pick<ClaimedRun, 'log'>, write: TaskWrite): readonly string[] {
  if (write.kind !== 'artifact') return [];
  const { contextId, path, tree, log } = child;
  const { artifactId, described, parts, append, lastChunk } = write;
  const event = wellFormedJson({
    artifactUpdate: {
      ...{ taskId: tree.parent, contextId, artifact: { artifactId: `${path}/${artifactId}`, ...described, parts } },
      ...(append ? { append } : {}),
      ...(lastChunk ? { lastChunk } : {}),
      metadata: marks(child, 'TASK_STATE_WORKING'),
    },
  });
  const bytes = Buffer.byteLength(event);
  const may = log.mayShow(bytes > MAX_PIECE_BYTES ? Infinity : bytes);
  if (may === false) return [];
  return [may === 'last' ? 'x' : `p${event}`];
}

function marks({ taskId, skillId, path }: NotedChild, state: TaskState) {
  return { [SUBTASK_EXTENSION]: { taskId, skillId, path, state } };
}

function textOf(message: string): string {
  if (message === '') return '';
  const { parts } = JSON.parse(message) as Message;
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)} …` : text;
}
