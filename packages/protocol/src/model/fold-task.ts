import type { StreamResponse } from './event.js';
import type { Message } from './message.js';
import { isOfChild } from './subtask.js';
import type { Artifact, Task } from './task.js';

/**
 * Applies a task's events in order; the result equals a read of the stored task.
 * @param task as it was before the first of the events
 */
export function foldTask(task: Task, events: readonly StreamResponse[]): Task {
  let { status } = task;
  const history: Message[] = [...(task.history ?? [])];
  const artifacts = new Map((task.artifacts ?? []).map((artifact) => [artifact.artifactId, artifact]));
  for (const event of events) {
    if (isOfChild(event)) continue;
    if ('artifactUpdate' in event) addArtifact(artifacts, event.artifactUpdate);
    if (!('statusUpdate' in event)) continue;
    // The message of a status becomes history when the next status comes.
    if (status.message !== undefined) history.push(status.message);
    ({ status } = event.statusUpdate);
  }
  const { id, contextId, metadata } = task;
  return {
    ...{ id, contextId, status },
    ...(artifacts.size === 0 ? {} : { artifacts: [...artifacts.values()] }),
    ...(history.length === 0 ? {} : { history }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** The latest chunk's name and description are valid; an artifact with a known id keeps its position in the list. */
function addArtifact(
  artifacts: Map<string, Artifact>,
  { artifact, append }: { readonly artifact: Artifact; readonly append?: boolean },
): void {
  const grown = append === true ? (artifacts.get(artifact.artifactId)?.parts ?? []) : [];
  artifacts.set(artifact.artifactId, { ...artifact, parts: [...grown, ...artifact.parts] });
}
