import type { ComponentChildren, JSX } from 'preact';
import { config } from '../../api/session/session.js';
import type { TaskDetails, TaskTree } from '../../api/types.js';
import { ageText, bytesText, counted, lookOf, numberText, shortId } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Fold } from '../../parts/list/fold.js';
import { Copy, Fact, TaskLink, Time } from '../../parts/small.js';
import { untilText, WaitsFor } from './task-waits.js';

/** Facts of a task besides its content. */
export function Facts({
  task,
  tree,
}: {
  readonly task: TaskDetails;
  readonly tree: TaskTree | undefined;
}): JSX.Element {
  return (
    <div class="stack">
      <dl class="facts">
        <Fact name="Task" isWide>
          <span class="mono">{task.id}</span> <Copy text={task.id} what="the id of the task" />
        </Fact>
        <Fact name="Now" isWide>
          {nowText(task, tree)}
        </Fact>
        <Fact name="In this state since">
          <Time at={task.since} exact />
        </Fact>
      </dl>
      <Fold name="More facts">
        <MoreFacts task={task} />
      </Fold>
    </div>
  );
}

function MoreFacts({ task }: { readonly task: TaskDetails }): JSX.Element {
  const { traceId, models } = task;
  const { traceUrl, logUrl } = config.value ?? {};
  return (
    <dl class="facts">
      <Fact name="Context" isWide>
        <span class="mono">
          <Foreign text={task.contextId} />
        </span>{' '}
        <Copy text={task.contextId} what="the id of the context" />
      </Fact>
      <Fact name="Client">
        <Foreign text={task.client} />
        {task.subject === undefined ? null : (
          <>
            {' '}
            for <Foreign text={task.subject} />
          </>
        )}
      </Fact>
      {task.rerunOf === undefined ? null : (
        <Fact name="Repeats">
          <TaskLink id={task.rerunOf} />
        </Fact>
      )}
      <Fact name="Begun">
        <Time at={task.created} exact />
      </Fact>
      <Fact name="Turn">
        {numberText(task.turn)}
        {task.attempts > 1 ? `, attempt ${numberText(task.attempts)}` : ''}
      </Fact>
      <Fact name="Events">{numberText(task.events)}</Fact>
      <Fact name="Stored">{bytesText(task.bytes.messages + task.bytes.results)}</Fact>
      {models === undefined ? null : (
        <Fact name="Language models">
          {counted(models.calls, 'call')}, {numberText(models.inputTokens)} tokens in, {numberText(models.outputTokens)}{' '}
          out{models.cost === undefined ? '' : `, cost ${models.cost.toFixed(4)}`}
        </Fact>
      )}
      {task.keptUntil === undefined ? null : (
        <Fact name="Kept until">
          <Time at={task.keptUntil} exact />
        </Fact>
      )}
      {traceId === undefined ? null : (
        <Fact name="Trace">
          {traceUrl === undefined ? (
            <span class="mono">{traceId}</span>
          ) : (
            <Outside template={traceUrl} task={task}>
              {traceId.slice(0, 12)}…
            </Outside>
          )}
        </Fact>
      )}
      {logUrl === undefined ? null : (
        <Fact name="Log">
          <Outside template={logUrl} task={task}>
            its lines
          </Outside>
        </Fact>
      )}
    </dl>
  );
}

/** A link to another system, which the operator's template leads to. */
function Outside({
  template,
  task: { id, traceId = '' },
  children,
}: {
  readonly template: string;
  readonly task: TaskDetails;
  readonly children: ComponentChildren;
}): JSX.Element {
  const href = template.replaceAll('{traceId}', traceId).replaceAll('{taskId}', id);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Current activity of the task, as a sentence. */
function nowText(task: TaskDetails, tree: TaskTree | undefined): ComponentChildren {
  const { id, state, run, parked, ahead, isCancelRequested } = task;
  if (lookOf(state).isOver) return 'Ended';
  if (parked !== undefined) {
    const { waitsFor, signals, until } = parked;
    if (waitsFor === 'children') return <WaitsFor id={id} tree={tree} />;
    if (waitsFor === 'remote') return 'Waits for another agent';
    if (waitsFor === 'answer') return <>Waits for an answer{untilText(task)}</>;
    const others = signals.includes('*')
      ? ', or wakes with a message'
      : signals.length > 0
        ? `, or wakes with the signal ${signals.join(', ')}`
        : '';
    return (
      <>
        Sleeps, wakes {ageText(until)}
        <Foreign text={others} />
      </>
    );
  }
  if (run !== undefined)
    return (
      <>
        Run by <span class="mono">{shortId(run.worker)}</span>
        {isCancelRequested ? ', which is stopping it' : ''}
      </>
    );
  if (state === 'TASK_STATE_INPUT_REQUIRED') return <>Waits for an answer{untilText(task)}</>;
  if (state === 'TASK_STATE_AUTH_REQUIRED') return 'Waits for a log-in';
  return ahead === undefined ? 'Between two runs' : `In line, about ${numberText(ahead)} ahead`;
}
