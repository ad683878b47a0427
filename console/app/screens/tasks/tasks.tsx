import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { queryOf } from '../../api/paths.js';
import { postJson } from '../../api/request.js';
import type { MeView } from '../../api/types.js';
import { errorOf, type Loading } from '../../api/use-load.js';
import { counted, numberText, shortId, timeMode } from '../../view/format.js';
import { Confirm } from '../../parts/dialog.js';
import { Fold } from '../../parts/list/fold.js';
import { Live } from '../../parts/list/live.js';
import { say } from '../../parts/small.js';
import { Failed, Skeleton, StateBox } from '../../parts/states.js';
import { useWindowed } from '../../parts/list/windowed.js';
import { hrefOf, route } from '../../router.js';
import { Filters, States } from './task-filters.js';
import { type TaskList, useTaskList } from './task-list.js';
import { Gap, useDrawnRows } from './task-rows.js';

/** The list of the tenant's tasks, live, with its filters in the address. */
export function TasksScreen({ me }: { readonly me: Loading<MeView> }): JSX.Element {
  const query = useComputed(() => queryOf(route.value.query));
  const list = useTaskList(query.value);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const isAsking = useSignal(false);
  const mayCancel = me.state.value.data?.scopes.some(({ name, has }) => has && name === 'a2a:tasks.operate') === true;
  useEffect(() => {
    chosen.value = new Set();
  }, [query.value]);
  const ids = [...chosen.value];
  const filters = Object.values(route.value.query).filter((one) => one !== '').length;
  return (
    <>
      <header class="head">
        <h1>Tasks</h1>
        <Live />
      </header>
      <Fold name={filters === 0 ? 'Filters' : `Filters (${numberText(filters)})`}>
        <States states={list.data.value?.states} isCut={list.data.value?.areStatesCut ?? false} />
        <Filters rows={list.data.value?.rows ?? []} />
      </Fold>
      <section class="card" aria-label="Tasks">
        <Rows list={list} chosen={chosen} mayCancel={mayCancel} />
      </section>
      {ids.length === 0 ? null : (
        <div class="bulk">
          <strong>{counted(ids.length, 'task')} chosen</strong>
          <button
            type="button"
            class="button danger"
            onClick={() => {
              isAsking.value = true;
            }}
          >
            Cancel {counted(ids.length, 'task')}
          </button>
          <button
            type="button"
            class="button plain"
            onClick={() => {
              chosen.value = new Set();
            }}
          >
            Clear
          </button>
        </div>
      )}
      {isAsking.value ? (
        <CancelMany
          ids={ids}
          onDone={() => {
            isAsking.value = false;
          }}
          onCanceled={() => {
            chosen.value = new Set();
          }}
        />
      ) : null}
    </>
  );
}

interface RowsProps {
  readonly list: TaskList;
  readonly chosen: Signal<ReadonlySet<string>>;
  readonly mayCancel: boolean;
}

/** In the order of the cells of a row (task-rows.tsx). */
const COLUMNS: readonly { readonly name: string; readonly look?: string }[] = [
  { name: 'State' },
  { name: 'Skill' },
  { name: 'Task', look: 'wide-only' },
  { name: 'Client', look: 'wide-only' },
  { name: 'Context', look: 'roomy-only' },
  { name: 'Events', look: 'num wide-only' },
  { name: 'Size', look: 'num wide-only' },
  { name: 'Begun', look: 'num roomy-only' },
  { name: 'Updated', look: 'num' },
];

function Rows({ list, chosen, mayCancel }: RowsProps): JSX.Element {
  const { data, error } = list;
  const isBusy = useSignal(false);
  const found = data.value;
  const { first, end, above, below, body } = useWindowed(found?.rows.length ?? 0);
  const drawn = useDrawnRows();
  const isNearEnd = found?.next !== undefined && end >= found.rows.length && first > 0;
  useEffect(() => {
    if (isNearEnd) void more();
  }, [isNearEnd, found?.rows.length]);
  const more = async (): Promise<void> => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    await list.more().catch((failure: unknown) => {
      say(errorOf(failure).message);
    });
    isBusy.value = false;
  };
  if (error.value !== undefined && found === undefined) return <Failed error={error.value} retry={list.reload} />;
  if (found === undefined) return <Skeleton rows={8} />;
  if (found.rows.length === 0) return <NoTasks isCut={found.isCut} />;
  return (
    <>
      <div
        class="scroller"
        onPointerEnter={() => {
          list.hold(true);
        }}
        onPointerLeave={() => {
          list.hold(false);
        }}
      >
        {/* Its rows are grids, which takes their roles from them: they are stated. */}
        <table
          role="table"
          class={`task-table${mayCancel ? ' may-choose' : ''}${timeMode.value === 'exact' ? ' has-exact-times' : ''}`}
          aria-rowcount={found.next === undefined ? found.rows.length + 1 : -1}
        >
          <thead role="rowgroup">
            <tr role="row">
              {mayCancel ? (
                <th role="columnheader" class="choose">
                  <span class="hidden-text">Choose</span>
                </th>
              ) : null}
              {COLUMNS.map(({ name, look }) => (
                <th key={name} role="columnheader" class={look}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup" ref={body}>
            {above === 0 ? null : <Gap key="above" height={above} />}
            {found.rows.slice(first, end).map((row, at) => {
              const isFresh = list.fresh.value.has(row.id);
              return drawn(row, { index: first + at + 2, chosen, mayCancel, isFresh });
            })}
            {below === 0 ? null : <Gap key="below" height={below} />}
          </tbody>
        </table>
      </div>
      {found.next === undefined ? null : (
        <div class="pad row">
          <button type="button" class="button" disabled={isBusy.value} onClick={() => void more()}>
            Show more
          </button>
          <span class="small soft">
            {numberText(found.rows.length)} shown{found.isCut ? '; only the newest tasks were searched' : ''}
          </span>
        </div>
      )}
    </>
  );
}

function NoTasks({ isCut }: { readonly isCut: boolean }): JSX.Element {
  const isFiltered = Object.keys(route.value.query).length > 0;
  if (isCut) {
    return (
      <StateBox icon="tasks" title="None of the newest tasks">
        <p class="soft">
          The newest 1,000 tasks were searched and none matches. Choose a state or a shorter time to search further
          back.
        </p>
      </StateBox>
    );
  }
  if (isFiltered) {
    return (
      <StateBox icon="tasks" title="No task matches">
        <a class="button" href={hrefOf('/tasks')}>
          Show all tasks
        </a>
      </StateBox>
    );
  }
  return (
    <StateBox icon="tasks" title="No tasks yet">
      <p class="soft">They appear here as soon as a caller sends a message. The playground sends one for you.</p>
      <a class="button main-action" href={hrefOf('/playground')}>
        Open the playground
      </a>
    </StateBox>
  );
}

function CancelMany({
  ids,
  onDone,
  onCanceled,
}: {
  readonly ids: readonly string[];
  readonly onDone: () => void;
  readonly onCanceled: () => void;
}): JSX.Element {
  const act = async (why: string): Promise<void> => {
    const { tasks } = await postJson<{ tasks: readonly { outcome: string }[] }>('/tasks/cancel', { ids }, why);
    const done = tasks.filter(({ outcome }) => outcome === 'canceled' || outcome === 'requested').length;
    say(
      done === tasks.length
        ? `${counted(done, 'task')} canceled.`
        : `${numberText(done)} of ${counted(tasks.length, 'task')} canceled; the others had ended.`,
    );
    onCanceled();
  };
  return (
    <Confirm
      title={`Cancel ${counted(ids.length, 'task')}?`}
      action={`Cancel ${counted(ids.length, 'task')}`}
      act={act}
      onDone={onDone}
    >
      <p>Their skills are stopped, and the tasks cannot continue afterwards.</p>
      <p class="mono small">
        {ids.slice(0, 8).map(shortId).join(', ')}
        {ids.length > 8 ? ' …' : ''}
      </p>
    </Confirm>
  );
}
