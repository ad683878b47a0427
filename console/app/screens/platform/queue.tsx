import type { JSX } from 'preact';
import type { QueueView } from '../../api/types.js';
import { durationText, numberText } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Polled } from '../../parts/list/polled.js';
import { Table } from '../../parts/list/table.js';
import { StateBadge, TaskLink } from '../../parts/small.js';
import { StateBox } from '../../parts/states.js';

/** Runs that wait, and how turns are shared among tenants. Read-only: workers empty the queue. */
export function QueueScreen(): JSX.Element {
  return (
    <Polled<QueueView> title="Queue" path="/platform/queue" everyMs={2_000}>
      {(found) => (
        <>
          <Stats found={found} />
          <Fairness found={found} />
          <Next found={found} />
          <Skills found={found} />
        </>
      )}
    </Polled>
  );
}

function Stats({ found: { counts, oldestWaitSeconds } }: { readonly found: QueueView }): JSX.Element {
  const stats = [
    ['Wait for a worker', numberText(counts.waiting ?? 0)],
    ['Oldest wait', oldestWaitSeconds === 0 ? '–' : durationText(oldestWaitSeconds * 1_000)],
    ['Run now', numberText(counts.active ?? 0)],
    ['Parked', numberText(counts.parked ?? 0)],
  ] as const;
  return (
    <dl class="stats">
      {stats.map(([name, value]) => (
        <div key={name} class="card stat">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Fairness({ found: { tenants, next } }: { readonly found: QueueView }): JSX.Element {
  const most = Math.max(1, ...tenants.map(({ running, next: waiting }) => running + waiting));
  return (
    <section class="card pad stack" aria-label="Tenants">
      <h2>Tenants</h2>
      {tenants.length === 0 ? (
        <p class="soft">Nothing runs and nothing waits.</p>
      ) : (
        <>
          <p class="small soft">
            {next.length === 0
              ? 'Runs that are held now; none waits.'
              : `Runs that are held now, and those among the next ${numberText(next.length)} in line.`}{' '}
            Each tenant has its turn, however many runs another one has waiting.
          </p>
          <div class="shares">
            {tenants.map(({ tenant, running, next: waiting }) => (
              <>
                <span>
                  <Foreign text={tenant} />
                </span>
                <span class="meter" aria-hidden="true">
                  <i class="running" style={{ width: `${String((running / most) * 100)}%` }} />
                  <i class="next" style={{ width: `${String((waiting / most) * 100)}%` }} />
                </span>
                <span class="num tight">
                  {numberText(running)} running, {numberText(waiting)} next
                </span>
              </>
            ))}
          </div>
        </>
      )}
    </section>
  );
}

function Next({ found: { next } }: { readonly found: QueueView }): JSX.Element {
  if (next.length === 0)
    return (
      <section class="card">
        <StateBox icon="check" title="Nothing waits" />
      </section>
    );
  return (
    <Table
      label="Next in line"
      rows={next.map((one, at) => ({ ...one, turn: at + 1 }))}
      keyOf={({ taskId }) => taskId}
      columns={[
        { name: 'Turn', look: 'num', cell: ({ turn }) => numberText(turn) },
        { name: 'Task', cell: ({ taskId }) => <TaskLink id={taskId} /> },
        { name: 'Skill', cell: ({ skill }) => <Foreign text={skill} /> },
        { name: 'Tenant', cell: ({ tenant }) => <Foreign text={tenant} /> },
        { name: 'Position', look: 'num', cell: ({ position }) => (position < 0 ? 'continues' : numberText(position)) },
      ]}
    />
  );
}

function Skills({ found: { tasks } }: { readonly found: QueueView }): JSX.Element | null {
  if (tasks.length === 0) return null;
  const sorted = [...tasks].sort((one, other) => (one.skill + one.state < other.skill + other.state ? -1 : 1));
  return (
    <Table
      label="Stored tasks"
      rows={sorted}
      keyOf={({ skill, state }) => skill + state}
      columns={[
        { name: 'Skill', cell: ({ skill }) => (skill === '' ? 'No skill' : <Foreign text={skill} />) },
        { name: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { name: 'Stored tasks', look: 'num', cell: ({ tasks: count }) => numberText(count) },
      ]}
    />
  );
}
