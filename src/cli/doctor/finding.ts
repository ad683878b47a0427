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
