import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { badParams } from '@parley/protocol/mcp/mcp-fault.js';
import { readArtifactUri } from '@parley/protocol/mcp/resource-uri.js';
import type { McpRequest } from '../call/mcp-request.js';
import { requireTasks } from '../tool/task-methods.js';

/** Tasks per subscription; each is an open stream of the caller's. */
const MAX_TASKS = 16;
const MAX_URIS = 64;

/** The content of a subscription. */
export interface Filter {
  readonly taskIds: readonly string[];
  /** Artifacts. */
  readonly uris: readonly string[];
}

/** Reads the params of `subscriptions/listen`. @throws McpFault */
export function readFilter(request: Pick<McpRequest, 'params' | 'capabilities'>): Filter {
  const { notifications } = request.params;
  if (!isJsonObject(notifications)) throw badParams('"notifications" must be an object');
  const taskIds = textsOf(notifications.taskIds, 'taskIds', MAX_TASKS);
  const uris = textsOf(notifications.resourceSubscriptions, 'resourceSubscriptions', MAX_URIS);
  if (taskIds.length > 0) requireTasks(request);
  const filter = { taskIds, uris };
  if (tasksIn(filter).size > MAX_TASKS) throw badParams(`A subscription may follow ${String(MAX_TASKS)} tasks`);
  return filter;
}

/** The tasks named by id or in URIs of their artifacts. */
export function tasksIn({ taskIds, uris }: Filter): ReadonlySet<string> {
  return new Set([...taskIds, ...uris.flatMap((uri) => readArtifactUri(uri)?.taskId ?? [])]);
}

function textsOf(value: unknown, name: string, most: number): readonly string[] {
  if (value === undefined) return [];
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  if (!Array.isArray(value) || texts.length < value.length || texts.length > most) {
    throw badParams(`"${name}" must be a list of at most ${String(most)} texts`);
  }
  return [...new Set(texts)];
}
