import type { ComponentChildren, JSX } from 'preact';
import type { TaskTree, TreeTask } from '../../api/types.js';
import { lookOf, numberText } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Time } from '../../parts/small.js';
import { hrefOf } from '../../router.js';

/** Children that are named; of the others there is a number. */
const NAMED = 2;

/** Whether a person is asked, by the task itself or by a run of it that is parked. */
export function isAsking({ state, questions = 0 }: Pick<TreeTask, 'state' | 'questions'>): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || (questions > 0 && state !== 'TASK_STATE_AUTH_REQUIRED');
}

/** The deadline of the person who is asked, in brackets. */
export function untilText({ answerBy }: Pick<TreeTask, 'answerBy'>): ComponentChildren {
  if (answerBy === undefined) return '';
  return (
    <>
      {' '}
      (until <Time at={answerBy} exact />)
    </>
  );
}

/** The children that a task waits for, and what each of them waits for, down to the person who is asked. */
export function WaitsFor({ id, tree }: { readonly id: string; readonly tree: TaskTree | undefined }): JSX.Element {
  const children = openChildren(tree, id);
  if (children.length === 0) return <>Waits for its children</>;
  const more = children.length - NAMED;
  return (
    <>
      Waits for{' '}
      {children.slice(0, NAMED).map((child, at) => (
        <span key={child.id}>
          {at === 0 ? '' : ', '}
          <Awaited task={child} tree={tree} />
        </span>
      ))}
      {more > 0 ? ` and ${numberText(more)} more` : ''}
    </>
  );
}

function Awaited({ task, tree }: { readonly task: TreeTask; readonly tree: TaskTree | undefined }): JSX.Element {
  const [below] = task.isParked ? openChildren(tree, task.id) : [];
  return (
    <>
      <a href={hrefOf(`/tasks/${task.id}`)}>
        <Foreign text={task.skill} />
      </a>
      {task.state === 'TASK_STATE_AUTH_REQUIRED' ? ', which waits for a log-in' : ''}
      {below === undefined ? null : (
        <>
          , which waits for <Awaited task={below} tree={tree} />
        </>
      )}
      {below === undefined && isAsking(task) ? <>, which asks a person{untilText(task)}</> : null}
    </>
  );
}

/** Those that ask a person come first. */
function openChildren(tree: TaskTree | undefined, id: string): readonly TreeTask[] {
  const open = (tree?.tasks ?? []).filter(({ parent, state }) => parent === id && !lookOf(state).isOver);
  return open.sort((one, other) => Number(isAsking(other)) - Number(isAsking(one)));
}
