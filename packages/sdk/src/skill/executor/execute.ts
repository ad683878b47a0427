import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SkillEvent } from '../events.js';
import type { SkillContext } from '../skill.js';
import { SkillFailure } from '../skill-failure.js';
import { ExecutionBus, type SdkEvent } from './execution-bus.js';
import { partsOf, type SdkMessage, sdkMessageOf, type SdkPart } from './sdk-parts.js';

/** An `AgentExecutor` of the official SDK (`@a2a-js/sdk` 1.x). The service does not depend on that package. */
export interface AgentExecutorLike {
  execute(requestContext: never, eventBus: never): Promise<void>;
  cancelTask(taskId: string, eventBus: never): Promise<void>;
}

/** States by the numbers that the SDK has for them. */
const STATES = [
  'TASK_STATE_UNSPECIFIED',
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const;
const WORKING = 2;

interface SdkStatus {
  readonly state?: number;
  readonly message?: { readonly parts?: readonly SdkPart[] } | undefined;
}

interface SdkArtifactUpdate {
  readonly artifact?: SdkArtifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

interface SdkArtifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts?: readonly SdkPart[];
  readonly metadata?: JsonObject | undefined;
}

/**
 * Runs an executor of the official SDK as a turn of a skill: `yield* execute(context, new MyAgentExecutor())`. Its events are stored, streamed
 * and delivered like those of any skill. After a crash it is executed again from its start; an artifact that it streams begins anew.
 */
export async function* execute(
  context: SkillContext,
  executor: AgentExecutorLike,
): AsyncGenerator<SkillEvent, void, void> {
  const bus = new ExecutionBus();
  const cancel = (): void => {
    // A deaf executor is overruled by the service after its grace.
    executor.cancelTask(context.taskId, bus as never).catch(() => bus.finished());
  };
  context.signal.addEventListener('abort', cancel, { once: true });
  const ended = executor.execute(requestContextOf(context) as never, bus as never).finally(() => bus.finished());
  ended.catch(() => undefined);
  try {
    for await (const event of bus.events()) {
      const last = yield* saidBy(event);
      if (last) return;
    }
    await ended;
    context.signal.throwIfAborted();
  } finally {
    context.signal.removeEventListener('abort', cancel);
  }
}

/** The events of a skill for one event of the executor; returns whether they end the turn. */
function* saidBy(event: SdkEvent): Generator<SkillEvent, boolean, void> {
  for (const said of eventsOf(event)) {
    yield said;
    if (said.kind === 'status' && said.state !== 'TASK_STATE_WORKING') return true;
  }
  return false;
}

function* eventsOf({ kind, data }: SdkEvent): Generator<SkillEvent, void, void> {
  switch (kind) {
    case 'message':
      yield { kind: 'status', state: 'TASK_STATE_COMPLETED', parts: partsOf((data as SdkMessage).parts) };
      return;
    case 'task': {
      const { status, artifacts = [] } = data as { status?: SdkStatus; artifacts?: readonly SdkArtifact[] };
      for (const artifact of artifacts) yield artifactOf({ artifact });
      yield* statusOf(status);
      return;
    }
    case 'statusUpdate':
      yield* statusOf((data as { status?: SdkStatus }).status);
      return;
    case 'artifactUpdate':
      yield artifactOf(data as SdkArtifactUpdate);
  }
}

function* statusOf({ state = 0, message }: SdkStatus = {}): Generator<SkillEvent, void, void> {
  const name = STATES[state] ?? 'TASK_STATE_UNSPECIFIED';
  const parts = partsOf(message?.parts);
  switch (name) {
    case 'TASK_STATE_UNSPECIFIED':
    case 'TASK_STATE_SUBMITTED':
      return;
    case 'TASK_STATE_FAILED':
    case 'TASK_STATE_CANCELED':
      throw new SkillFailure(textOf(message?.parts) || `The agent has ended: ${name}.`);
    case 'TASK_STATE_WORKING':
      if (parts.length > 0) yield { kind: 'status', state: name, parts };
      return;
    case 'TASK_STATE_COMPLETED':
    case 'TASK_STATE_INPUT_REQUIRED':
    case 'TASK_STATE_REJECTED':
    case 'TASK_STATE_AUTH_REQUIRED':
      yield { kind: 'status', state: name, parts };
  }
}

function artifactOf({ artifact, append = false, lastChunk = false }: SdkArtifactUpdate): SkillEvent {
  if (artifact === undefined) throw new SkillFailure('The agent has published an artifact without content.');
  const { artifactId, name = '', description = '', parts, metadata } = artifact;
  return {
    ...{ kind: 'artifact', artifactId, parts: partsOf(parts), append, lastChunk },
    ...(name === '' ? {} : { name }),
    ...(description === '' ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function textOf(parts: readonly SdkPart[] = []): string {
  return partsOf(parts)
    .map((part) => ('text' in part ? part.text : ''))
    .join('\n');
}

/** Request that the SDK gives an executor with a message. The task is there from the second turn on. */
function requestContextOf({ taskId, contextId, turn, messages, history, metadata, principal }: SkillContext): object {
  const ids = { taskId, contextId };
  const [last] = messages.slice(-1);
  const userMessage = last === undefined ? undefined : sdkMessageOf(last, ids);
  const status = { state: WORKING, message: undefined, timestamp: undefined };
  const said = history.map((message) => sdkMessageOf(message, ids));
  const task = { id: taskId, contextId, status, artifacts: [], history: said, metadata };
  const user = { isAuthenticated: true, userName: principal.subject ?? principal.client };
  return {
    ...ids,
    userMessage,
    request: { tenant: principal.tenant, message: userMessage, configuration: undefined, metadata },
    context: { tenant: principal.tenant, user, requestedVersion: '1.0', state: new Map<string, unknown>() },
    ...(turn > 1 ? { task } : {}),
  };
}
