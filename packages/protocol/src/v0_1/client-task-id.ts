import { invalidParams } from '../model/errors.js';
import { isJsonObject } from '../json/json-value.js';

const TASK_ID = /^[\x21-\x7e]{1,256}$/;

/**
 * The task's id in a 0.1 call: the client made it, and every method has it as `params.id` (D01-01). Throws `A2AError`
 * InvalidParams where it is missing or not 1 – 256 printable ASCII characters.
 */
export function clientTaskId(params: unknown): string {
  const id = statedTaskId(params);
  if (TASK_ID.test(id)) return id;
  const description = 'is required: a task id of 1 to 256 printable ASCII characters without spaces';
  throw invalidParams([{ field: 'id', description }]);
}

/** `params.id` unchanged, for answers to accepted calls; empty if absent. */
export function statedTaskId(params: unknown): string {
  const id = isJsonObject(params) ? params.id : undefined;
  return typeof id === 'string' ? id : '';
}
