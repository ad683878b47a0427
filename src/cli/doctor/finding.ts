/** What one check has come to. */
export interface Finding {
  readonly check: string;
  /** `fail`: the service does not start, loses tasks or turns callers away. `warn`: it will when something else breaks. */
  readonly severity: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** What to change; absent when all is well. */
  readonly mend?: string;
}

/** A finding that asks for nothing. */
export function fine(check: string, text: string): Finding {
  return { check, severity: 'ok', text };
}

/** A finding in one line, with its cure. */
export function sentenceOf({ text, mend }: Finding): string {
  const cure = mend === undefined ? '' : ` ${withStop(mend)}`;
  return withStop(text) + cure;
}

/** With a full stop, where the text has no end of its own. */
export function withStop(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}
