import type { Task } from '@parley/protocol/model/task.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { CALL_FAULT } from '@parley/protocol/extension/marks.js';
import type { Branch } from '@parley/sdk/skill/shared/tree-values.js';
import { type CallFault, type CallOutcome, type CallSpec, FAULTS, NAMED_FAULTS } from '@parley/sdk/skill/calls/call.js';

/** The outcome of a call in the journal of its parent; a large result stays with the child. */
export type StoredOutcome = CallOutcome | { readonly taskId: string; readonly isLarge: true };

/** Bytes of results in one entry of a journal. */
const MAX_BYTES = 64 * 1024;

/** A call that was refused before it was stored. */
export interface Refusal {
  readonly why: CallFault;
  readonly text: string;
}

/** The outcome of an ended child; undefined for an unfinished one. */
export function outcomeOf({ id, status, artifacts = [] }: Task, hasShared = false): CallOutcome | undefined {
  const { state, message } = status;
  if (!isTerminal(state)) return undefined;
  const parts = message?.parts ?? [];
  const fault = message?.metadata?.[CALL_FAULT];
  const why = FAULTS[state] === 'failed' ? (NAMED_FAULTS.find((one) => one === fault) ?? 'failed') : FAULTS[state];
  if (why === undefined) return { taskId: id, artifacts, message: parts, ...(hasShared ? { wrote: true } : {}) };
  const said = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  return { why, text: said === '' ? `it was ${why}` : said, taskId: id };
}

/** The children that have completed and written shared values. */
export function branchesOf(calls: readonly CallSpec[], outcomes: readonly CallOutcome[]): readonly Branch[] {
  return outcomes.flatMap((outcome, at) =>
    'wrote' in outcome ? [{ key: calls[at]?.key ?? '', taskId: outcome.taskId }] : [],
  );
}

export function isInJournal(outcome: StoredOutcome): outcome is CallOutcome {
  return !('isLarge' in outcome);
}

/** Outcomes in the form of the journal: large ones by the ids of their children. */
export function stored(outcomes: readonly CallOutcome[]): readonly StoredOutcome[] {
  let left = MAX_BYTES;
  return outcomes.map((outcome) => {
    if ('why' in outcome) return outcome;
    left -= Buffer.byteLength(JSON.stringify(outcome));
    return left < 0 ? { taskId: outcome.taskId, isLarge: true } : outcome;
  });
}

/** The call as a text for the journal: a repeated run must make the same one. */
export function wordsOf(kind: string, calls: readonly CallSpec[], digest: (text: string) => string): string {
  const [first] = calls;
  // The accepted output modes do not make it another call.
  const of = digest(JSON.stringify(calls.map(({ accepts: _accepts, ...call }) => call))).slice(0, 16);
  if (kind === 'call' && first !== undefined) return `call ${first.key} of ${first.skillId} with ${of}`;
  return `${kind} of ${String(calls.length)} from ${first?.key ?? 'none'} with ${of}`;
}
