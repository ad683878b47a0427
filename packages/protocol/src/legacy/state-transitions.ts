import type { JsonObject } from '../model/json.js';
import type { TaskState } from '../model/task-state.js';
import { isJsonObject } from '../json/json-value.js';

/** Metadata with the older state names in `stateTransitions` (SEED-07); everything else is unchanged. */
export function withOlderStates(
  metadata: JsonObject | undefined,
  names: Readonly<Record<TaskState, string>>,
): JsonObject | undefined {
  const transitions = metadata?.stateTransitions;
  if (!Array.isArray(transitions)) return metadata;
  const older = transitions.map((entry: unknown) =>
    isJsonObject(entry) && isState(entry.state, names) ? { ...entry, state: names[entry.state] } : entry,
  );
  return { ...metadata, stateTransitions: older };
}

function isState(value: unknown, names: Readonly<Record<TaskState, string>>): value is TaskState {
  return typeof value === 'string' && Object.hasOwn(names, value);
}
