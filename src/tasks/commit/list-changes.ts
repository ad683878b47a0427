import type { CommitPlan, ListChange } from './commit-plan.js';
import { shardOf, type TaskKeys } from '../task.keys.js';

/** A change of one of `lists`: append, restart, new head (commit-plan.ts), publish, or trim the first ones. */
interface Change {
  readonly how: ListChange['how'] | 'P' | 'T';
  /** Its number, from 0 on. */
  readonly list: number;
  readonly value: string | number;
}

/** The changes of a commit's lists, in the form of lua/lib/run/write.lua. */
export function listChanges(
  keys: TaskKeys,
  taskId: string,
  { lists, published, notes }: Pick<CommitPlan, 'lists' | 'published' | 'notes'>,
): { readonly lists: readonly string[]; readonly changes: readonly Change[] } {
  const numbers = new Map<string, number>();
  const changeOf = (how: Change['how'], key: string, value: string | number): Change => {
    const list = numbers.get(key) ?? numbers.size;
    numbers.set(key, list);
    return { how, list, value };
  };
  const changes = [
    ...lists.map(({ how, list, value }) => changeOf(how, keyOf(keys, taskId, list), value)),
    ...published.texts.map((text) => changeOf('P', keys.published(shardOf(taskId)), text)),
    // They are in the log now.
    ...(notes > 0 ? [changeOf('T', keys.notes(taskId), notes)] : []),
  ];
  return { lists: [...numbers.keys()], changes };
}

function keyOf(keys: TaskKeys, taskId: string, list: ListChange['list']): string {
  if (list === 'history') return keys.history(taskId);
  return list === 'states' ? keys.states(taskId) : keys.artifact(taskId, list.artifact);
}
