/**
 * Tasks: 0.1 says sessionId for context, numbers artifacts in place of naming them, shows history only on request and
 * lacks two states: rejected tasks are failed ones, and tasks that want authorisation want input (D01-07).
 */
import type { Message } from '../../model/message.js';
import type { Artifact, Task, TaskStatus } from '../../model/task.js';
import type { TaskState } from '../../model/task-state.js';
import type { ArtifactV01, TaskStateV01, TaskStatusV01, TaskV01 } from '../types.js';
import { withOlderStates } from '../../legacy/state-transitions.js';
import { messageToV01, partToV01 } from './message.js';

const STATES: Readonly<Record<TaskState, TaskStateV01>> = {
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_AUTH_REQUIRED: 'input-required',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_REJECTED: 'failed',
};

/** Under the id that the client knows it by; with history only where it was asked for (D01-08). */
export function taskToV01(task: Task, id: string, withHistory: boolean): TaskV01 {
  return {
    id,
    sessionId: task.contextId,
    status: statusToV01(task.status),
    artifacts: task.artifacts?.map((artifact, index) => artifactToV01(artifact, index)),
    history: withHistory ? task.history?.map(messageToV01) : undefined,
    metadata: withOlderStates(task.metadata, STATES),
  };
}

export function statusToV01({ state, message, timestamp }: TaskStatus): TaskStatusV01 {
  return { state: STATES[state], message: message ? messageToV01(message) : rejection(state), timestamp };
}

export function artifactToV01({ name, description, parts, metadata }: Artifact, index: number): ArtifactV01 {
  return { name, description, parts: parts.map(partToV01), index, metadata };
}

/** A direct answer as the completed task that 0.1 expects: no task is kept, so it can not be asked for again (D01-10). */
export function messageAsTask(message: Message, id: string): TaskV01 {
  const answer = messageToV01(message);
  const artifacts = [{ parts: answer.parts, index: 0 }];
  return { id, sessionId: message.contextId, status: { state: 'completed', message: answer }, artifacts };
}

/** `failed` alone would hide that the agent refused. */
function rejection(state: TaskState): TaskStatusV01['message'] {
  if (state !== 'TASK_STATE_REJECTED') return undefined;
  return { role: 'agent', parts: [{ type: 'text', text: 'The agent rejected this task.' }] };
}
