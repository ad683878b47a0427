import type { JSX } from 'preact';
import type { TaskDetails } from '../../api/types.js';
import { lookOf, numberText } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Fault } from '../../parts/fault.js';

/** Broken runs whose errors are shown above the views. */
const SHOWN_FAULTS = 5;

/** Why the task has failed or was rejected, and the errors that have broken its runs, the latest first. */
export function Why({ task: { reason, runs, state } }: { readonly task: TaskDetails }): JSX.Element | null {
  // Those that a later attempt has made good are in the timeline.
  if (lookOf(state).isOver && state !== 'TASK_STATE_FAILED' && reason === undefined) return null;
  const broken = runs.flatMap(({ fault, attempt, turn }, at) =>
    fault === undefined ? [] : [{ fault, key: at, name: `Turn ${numberText(turn)}, attempt ${numberText(attempt)}` }],
  );
  const isSaid = broken.length === 1 && broken[0]?.fault.message === reason;
  if (reason === undefined && broken.length === 0) return null;
  return (
    <section class="note bad words" aria-label="Why it failed">
      {reason === undefined ? null : (
        <p>
          <Foreign text={reason} />
        </p>
      )}
      {isSaid
        ? null
        : broken
            .slice(-SHOWN_FAULTS)
            .reverse()
            .map(({ fault, key, name }) => (
              <p key={key}>
                {name}: <Fault of={fault} />
              </p>
            ))}
      {broken.length > SHOWN_FAULTS ? (
        <p class="small">The timeline has those of all {numberText(broken.length)} runs.</p>
      ) : null}
    </section>
  );
}
