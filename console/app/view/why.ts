import type { Failure } from '../api/types.js';

/** Why a task has failed, in one text: the reason, and the error of its last run where the reason does not say it. */
export function whyText({ reason, fault }: Failure): string | undefined {
  if (fault === undefined || fault.message === reason) return reason;
  const { type, message, reference } = fault;
  const known = reference === undefined || reason?.includes(reference) === true ? '' : ` Reference: ${reference}`;
  const error = `${type}: ${message}${known}`;
  return reason === undefined ? error : `${reason} (${error})`;
}
