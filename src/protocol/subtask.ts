/** The extension that marks an event of a task as progress of a child: `{ taskId, skillId, path, state }` of the child. */
export const SUBTASK_EXTENSION = 'urn:parley:extension:subtask:1';
