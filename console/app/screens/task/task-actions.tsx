import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { taskPath } from '../../api/paths.js';
import { postJson, send } from '../../api/request.js';
import type { MeView, StepRow, TaskDetails } from '../../api/types.js';
import { errorOf, type Loading } from '../../api/use-load.js';
import { shortId } from '../../view/format.js';
import { Confirm } from '../../parts/dialog.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { saveFile } from '../../parts/content/save-file.js';
import { say } from '../../parts/small.js';
import { hrefOf, navigate } from '../../router.js';
import { visible } from '../../view/unseen.js';

const READ = ['a2a:tasks.observe', 'a2a:tasks.read'];

/** Whether the viewer has all of these scopes. */
export function hasScopes(me: Loading<MeView>, names: readonly string[]): boolean {
  const held = me.state.value.data?.scopes.filter(({ has }) => has).map(({ name }) => name) ?? [];
  return names.every((name) => held.includes(name));
}

export function mayReadContent(me: Loading<MeView>): boolean {
  return hasScopes(me, READ);
}

export function mayRunAgain(me: Loading<MeView>): boolean {
  return hasScopes(me, [...READ, 'a2a:message.send']);
}

/** Saves all that is stored of the task and its children as a file. */
export function Bundle({ task: { id } }: { readonly task: TaskDetails }): JSX.Element {
  const isBusy = useSignal(false);
  const save = async (): Promise<void> => {
    isBusy.value = true;
    try {
      const response = await send(`/console/api/tasks/${id}/bundle/content?children=true`);
      saveFile(await response.blob(), `task-${id.slice(0, 8)}.jsonl`);
    } catch (error) {
      say(errorOf(error).message);
    }
    isBusy.value = false;
  };
  return (
    <button type="button" class="button" disabled={isBusy.value} onClick={() => void save()}>
      Save bundle
    </button>
  );
}

/** Begins the task again, from its first message or from one of its steps, and names the steps to run first. */
export function RunAgain({
  task: { id, steps },
  onDone,
}: {
  readonly task: TaskDetails;
  readonly onDone: () => void;
}): JSX.Element {
  const from = useSignal(-1);
  const step = steps[from.value];
  const begin = async (why: string): Promise<void> => {
    const body = step === undefined ? {} : { step: step.name, turn: step.turn };
    const { taskId } = await postJson<{ readonly taskId: string }>(`${taskPath(id)}/rerun`, body, why);
    navigate(hrefOf(`/tasks/${taskId}`, { of: id }));
  };
  return (
    <Confirm title={`Run task ${shortId(id)} again?`} action="Run again" isSafe onDone={onDone} act={begin}>
      <p>A new task of yours gets the first message of this one, and runs with the skill of today.</p>
      {steps.length === 0 ? null : (
        <label class="field">
          <span>From</span>
          <select
            value={String(from.value)}
            onChange={({ currentTarget }) => {
              from.value = Number(currentTarget.value);
            }}
          >
            <option value="-1">the beginning</option>
            {steps.map(({ turn, name }, at) => (
              <option key={`${String(turn)}:${name}`} value={String(at)}>
                step {visible(name)}
                {turn > 1 ? `, turn ${String(turn)}` : ''}
              </option>
            ))}
          </select>
        </label>
      )}
      {step === undefined ? (
        <p>All of its steps run live: what it does outside is done again. It has no webhooks.</p>
      ) : (
        <>
          <Names title="Taken over, with their results" of={steps.slice(0, from.value)} />
          <Names title="Run live" of={steps.slice(from.value)} />
          <p>Calls of other skills run live too, and questions are asked again. It has no webhooks.</p>
        </>
      )}
    </Confirm>
  );
}

function Names({ title, of }: { readonly title: string; readonly of: readonly StepRow[] }): JSX.Element {
  return (
    <p class="small">
      {title}: {of.length === 0 ? 'nothing' : <Foreign text={of.map(({ name }) => name).join(', ')} />}
    </p>
  );
}
