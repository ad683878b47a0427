/** The result of one check. */
export interface Finding {
  readonly check: string;
  /** `fail`: the service does not start, loses tasks or rejects callers. `warn`: it will after another fault. */
  readonly severity: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** The suggested fix; absent if the check passed. */
  readonly fix?: string;
}

/** A passed check. */
export function fine(check: string, text: string): Finding {
  return { check, severity: 'ok', text };
}

/** A finding in one line, with its fix. */
export function sentenceOf({ text, fix }: Finding): string {
  const cure = fix === undefined ? '' : ` ${withStop(fix)}`;
  return withStop(text) + cure;
}

/** Adds a full stop, unless the text ends with one. */
export function withStop(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}
