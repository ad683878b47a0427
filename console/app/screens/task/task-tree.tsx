import type { ComponentChildren, JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { Source } from '../../api/task-source.js';
import type { TaskTree, TreeTask } from '../../api/types.js';
import type { Loading } from '../../api/use-load.js';
import { durationText, lookOf, numberText, shortId } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { StateBadge, Time } from '../../parts/small.js';
import { Shown } from '../../parts/states.js';
import { hrefOf } from '../../router.js';
import { whyText } from '../../view/why.js';
import { isAsking, untilText } from './task-waits.js';

/** The tree of an agent: which task has called which. */
export function TreeTab({ tree, here }: { readonly tree: Loading<TaskTree>; readonly here: string }): JSX.Element {
  return (
    <section class="card pad" aria-label="Tree">
      <Shown of={tree}>
        {({ tasks, total, root }) => {
          const children = new Map<string, TreeTask[]>();
          for (const task of tasks)
            if (task.parent !== undefined) children.set(task.parent, [...(children.get(task.parent) ?? []), task]);
          const first = tasks.find(({ id }) => id === root);
          return (
            <div class="stack">
              {total > tasks.length ? (
                <p class="note">
                  The first {numberText(tasks.length)} of {numberText(total)} tasks are shown.
                </p>
              ) : null}
              {total === 1 ? <p class="soft">This task has called no others.</p> : null}
              <ul class="tree">{first === undefined ? null : <Node task={first} children={children} here={here} />}</ul>
            </div>
          );
        }}
      </Shown>
    </section>
  );
}

function waitText(task: TreeTask, below: readonly TreeTask[]): ComponentChildren {
  const hasOpen = below.some((child) => !lookOf(child.state).isOver);
  if (isAsking(task) && !hasOpen) return <>waits for an answer{untilText(task)}</>;
  return hasOpen ? 'waits for its children' : 'parked';
}

function Node({
  task,
  children,
  here,
}: {
  readonly task: TreeTask;
  readonly children: ReadonlyMap<string, readonly TreeTask[]>;
  readonly here: string;
}): JSX.Element {
  const { base } = useContext(Source);
  const { id, skill, state, key, created, updated, isParked } = task;
  const why = whyText(task);
  const below = children.get(id) ?? [];
  return (
    <li>
      <div class={`node${id === here ? ' here' : ''}`}>
        <StateBadge state={state} />
        <a href={hrefOf(`${base}/${id}/tree`)} aria-current={id === here ? 'true' : undefined}>
          {skill === '' ? 'No skill' : <Foreign text={skill} />}
        </a>
        {key === undefined ? null : (
          <span class="soft small">
            <Foreign text={key} />
          </span>
        )}
        <span class="mono small soft" title={id}>
          {shortId(id)}
        </span>
        {isParked || isAsking(task) ? <span class="small soft">{waitText(task, below)}</span> : null}
        <span class="small soft">
          <Time at={created} />
          {lookOf(state).isOver ? `, took ${durationText(Date.parse(updated) - Date.parse(created))}` : ''}
        </span>
        {why === undefined ? null : (
          <p class="why words">
            <Foreign text={why} />
          </p>
        )}
      </div>
      {below.length === 0 ? null : (
        <ul>
          {below.map((child) => (
            <Node key={child.id} task={child} children={children} here={here} />
          ))}
        </ul>
      )}
    </li>
  );
}
