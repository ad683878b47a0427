import type { StreamResponse } from './event.js';

/** The extension that marks an event of a task as progress of a child: `{ taskId, skillId, path, state }` of the child. */
export const SUBTASK_EXTENSION = 'urn:parley:extension:subtask:1';

/** Whether an event is progress of a child: it is in the log of its parent, and changes nothing else of it. */
export function isOfChild(event: StreamResponse): boolean {
  if ('statusUpdate' in event) return event.statusUpdate.metadata?.[SUBTASK_EXTENSION] !== undefined;
  return 'artifactUpdate' in event && event.artifactUpdate.metadata?.[SUBTASK_EXTENSION] !== undefined;
}
