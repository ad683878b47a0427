import type { Ask } from '../questions/question.js';
import { VERDICT, verdictOf } from '../questions/verdict.js';
import type { Approval, CallGroup, CallOutcome, CallSpec } from './call.js';

/** The calls of a group that need an approval, by their indices. */
export type Approvals = Map<number, true | Approval>;

/** Makes the calls of a group that are approved. */
export type ApprovedMaker = (group: CallGroup, approvals: Approvals) => Promise<readonly CallOutcome[]>;

/** Characters of an input that the question shows. */
const MAX_SHOWN = 1_000;

/** Asks before the calls that need it are made; those that are denied have no child and count as failed. */
export function approved(make: (group: CallGroup) => Promise<readonly CallOutcome[]>, ask: Ask): ApprovedMaker {
  return async (group, approvals) => {
    if (approvals.size === 0) return make(group);
    const verdicts = await Promise.all(
      group.calls.map((call, at) => {
        const approval = approvals.get(at);
        return approval === undefined
          ? Promise.resolve(undefined)
          : denialOf(ask, call, approval === true ? {} : approval);
      }),
    );
    const denied = verdicts.filter((verdict) => verdict !== undefined).length;
    const allowed = group.calls.filter((_call, at) => verdicts[at] === undefined);
    const isLost = group.mostFailed > 0 && denied >= group.mostFailed;
    const made =
      isLost || allowed.length === 0 ? allowed.map(() => NOT_MADE) : await make({ ...group, calls: allowed });
    const outcomes = made.values();
    return verdicts.map((verdict) => verdict ?? outcomes.next().value ?? NOT_MADE);
  };
}

const NOT_MADE: CallOutcome = { why: 'left', text: 'another call of its fan-out was denied before' };

/** Why there is no child; undefined where the call is approved. */
async function denialOf(
  ask: Ask,
  { skillId, input }: CallSpec,
  { question, ...rest }: Approval,
): Promise<CallOutcome | undefined> {
  const shown = typeof input === 'string' ? input : JSON.stringify(input);
  const text = question ?? `Approve the call of "${skillId}" with ${shown.slice(0, MAX_SHOWN)}?`;
  const answer = await ask({ ...rest, question: text, schema: VERDICT, onTimeout: { value: undefined } });
  if (answer.isTimeout) return { why: 'denied', text: 'its approval did not come in time' };
  const { approved, reason } = verdictOf(answer);
  return approved
    ? undefined
    : { why: 'denied', text: `it was not approved${reason === undefined ? '' : `: ${reason}`}` };
}
