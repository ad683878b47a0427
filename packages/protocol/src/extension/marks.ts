/** A member of a status message's metadata: true where the service has failed the task, and not its skill. */
export const SERVICE_FAULT = 'urn:parley:service-fault';

/** A member of a status message's metadata: why the task has failed, for the task that has called it (`CallFault`). */
export const CALL_FAULT = 'urn:parley:call-fault';

/** A member of a task's metadata: the id of the task that it repeats. */
export const RERUN_OF = 'urn:parley:rerun-of';

/** A member of the metadata of a task and of its messages and artifacts: true where it was simulated, in debug mode (O-80). */
export const SIMULATED = 'urn:parley:simulated';

/** A member of a task's metadata, for readers that ask for it: when the task was created, ISO 8601. */
export const CREATED_AT = 'urn:parley:created-at';

/** A member of the metadata of a stored message: the child task that has got it, since the conversation was handed over to that. */
export const HANDED_TO = 'urn:parley:handed-to';
