/** Tasks: 0.3 has `kind`, kebab-case states and the 0.3 form of every message and part inside. */
import type { Artifact, Task, TaskStatus } from '../../model/task.js';
import type { TaskState } from '../../model/task-state.js';
import type { ArtifactV03, TaskStateV03, TaskStatusV03, TaskV03 } from '../types.js';
import { messageToV03 } from './message.js';
import { partToLegacy } from '../../legacy/part.js';
import { withOlderStates } from '../../legacy/state-transitions.js';

/** Task states by their 0.3 names. */
const STATES_V03: Readonly<Record<TaskState, TaskStateV03>> = {
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_AUTH_REQUIRED: 'auth-required',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_REJECTED: 'rejected',
};

export function taskToV03(task: Task): TaskV03 {
  return {
    ...task,
    kind: 'task',
    status: statusToV03(task.status),
    metadata: withOlderStates(task.metadata, STATES_V03),
    artifacts: task.artifacts?.map(artifactToV03),
    history: task.history?.map(messageToV03),
  };
}

export function statusToV03(status: TaskStatus): TaskStatusV03 {
  return { ...status, state: STATES_V03[status.state], message: status.message && messageToV03(status.message) };
}

export function artifactToV03(artifact: Artifact): ArtifactV03 {
  return { ...artifact, parts: artifact.parts.map(partToLegacy) };
}
