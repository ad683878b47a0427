import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { send } from '../api/request.js';
import type { MeView, TaskDetails } from '../api/types.js';
import { errorOf, type Loading } from '../api/use-load.js';
import { saveFile } from '../parts/save-file.js';
import { say } from '../parts/small.js';

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
