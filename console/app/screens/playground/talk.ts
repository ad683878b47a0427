import type { Message, Part, Task } from '../../api/content.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import type { Question } from '../../api/questions.js';
import type { TaskState } from '../../api/types.js';
import { lookOf } from '../../view/format.js';

/** Known state of the task that the playground talks to. */
export interface Talk {
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
  readonly state?: TaskState | undefined;
  readonly lastEventId?: string | undefined;
  readonly task?: Task | undefined;
}

/** Whether the task takes further messages: one that has ended takes none, and the next message begins another. */
export function isOpen({ taskId, state }: Talk): boolean {
  return taskId !== undefined && (state === undefined || !lookOf(state).isOver);
}

/** A message of the viewer, to the task while that is open, else in its context. */
export function messageTo(
  talk: Talk,
  {
    parts,
    messageId,
    question,
  }: { readonly parts: readonly Part[]; readonly messageId: string; readonly question?: Question },
): object {
  const { taskId, contextId } = talk;
  return {
    ...{ messageId, role: 'ROLE_USER', parts },
    ...(isOpen(talk) ? { taskId } : {}),
    ...(contextId === undefined ? {} : { contextId }),
    ...(question?.id === undefined ? {} : { metadata: { [QUESTIONS_EXTENSION]: { questionId: question.id } } }),
  };
}

interface Update {
  readonly task?: Task;
  readonly message?: Message;
  readonly statusUpdate?: { readonly taskId: string; readonly contextId: string; readonly status: Task['status'] };
  readonly artifactUpdate?: { readonly artifact: NonNullable<Task['artifacts']>[number]; readonly append?: boolean };
}

/** State after an answer or an event. */
export function taken(before: Talk, result: unknown): Talk {
  const update = result as Update & Partial<Task>;
  const whole = update.task ?? (update.status === undefined || update.id === undefined ? undefined : (update as Task));
  if (whole !== undefined)
    return { ...before, taskId: whole.id, contextId: whole.contextId, state: whole.status.state, task: whole };
  if (update.statusUpdate !== undefined) {
    const { taskId, contextId, status } = update.statusUpdate;
    const task = before.task === undefined ? { id: taskId, contextId, status } : { ...before.task, status };
    return { ...before, taskId, contextId, state: status.state, task };
  }
  if (update.artifactUpdate !== undefined && before.task !== undefined) {
    return {
      ...before,
      task: { ...before.task, artifacts: withArtifact(before.task.artifacts ?? [], update.artifactUpdate) },
    };
  }
  if (update.message !== undefined) {
    const status = { state: 'TASK_STATE_COMPLETED', message: update.message, timestamp: '' } as const;
    return { task: { id: '', contextId: '', status } };
  }
  return before;
}

function withArtifact(
  artifacts: NonNullable<Task['artifacts']>,
  { artifact, append = false }: NonNullable<Update['artifactUpdate']>,
): NonNullable<Task['artifacts']> {
  const present = artifacts.find(({ artifactId }) => artifactId === artifact.artifactId);
  if (present === undefined) return [...artifacts, artifact];
  const next = append ? { ...present, parts: [...(present.parts ?? []), ...(artifact.parts ?? [])] } : artifact;
  return artifacts.map((one) => (one === present ? next : one));
}

/** The metadata of a request, as the user wrote it; undefined where it is no JSON object. */
export function metadataOf(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
