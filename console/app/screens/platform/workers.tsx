import type { JSX } from 'preact';
import type { HeldRun, WorkersView } from '../../api/types.js';
import { ageText, counted, durationText, numberText, shortId } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Polled } from '../../parts/list/polled.js';
import { Table } from '../../parts/list/table.js';
import { Copy, TaskLink } from '../../parts/small.js';

/** The processes of the service and the runs that they hold. */
export function WorkersScreen(): JSX.Element {
  return (
    <Polled<WorkersView> title="Workers" path="/platform/workers" everyMs={2_000}>
      {({ processes, orphans }) => (
        <>
          {orphans.length === 0 ? null : (
            <>
              <h2>{counted(orphans.length, 'run')} of processes that do not report</h2>
              <p class="note warn">Other workers take these over when their leases end.</p>
              <Runs label="Runs without a process" runs={orphans} leaseName="Taken over in" />
            </>
          )}
          <Table
            label="Processes"
            rows={processes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Process',
                look: 'mono',
                cell: ({ id }) => (
                  <span class="tight">
                    {shortId(id)} <Copy text={id} what="the id of the process" />
                  </span>
                ),
              },
              { name: 'Role', cell: ({ role }) => role },
              { name: 'Version', cell: ({ version }) => version },
              {
                name: 'Host',
                cell: ({ host = '', pid }) => (
                  <>
                    <Foreign text={host} />
                    {pid === undefined ? null : <span class="soft"> pid {pid}</span>}
                  </>
                ),
              },
              { name: 'Began', look: 'tight', cell: ({ since }) => (since === undefined ? '' : ageText(since)) },
              { name: 'Runs', look: 'num', cell: ({ runs }) => numberText(runs.length) },
            ]}
          />
          <h2>Runs</h2>
          <Runs label="Runs" runs={processes.flatMap(({ runs }) => runs)} leaseName="Lease left" />
        </>
      )}
    </Polled>
  );
}

function Runs({
  label,
  runs,
  leaseName,
}: {
  readonly label: string;
  readonly runs: readonly HeldRun[];
  readonly leaseName: string;
}): JSX.Element {
  if (runs.length === 0) return <p class="soft">No process holds a run.</p>;
  return (
    <Table
      label={label}
      rows={runs}
      keyOf={({ taskId }) => taskId}
      columns={[
        { name: 'Task', cell: ({ taskId }) => <TaskLink id={taskId} /> },
        { name: 'Skill', cell: ({ skill }) => <Foreign text={skill} /> },
        { name: 'Tenant', cell: ({ tenant }) => <Foreign text={tenant} /> },
        { name: 'Process', look: 'mono', cell: ({ worker }) => shortId(worker) },
        { name: leaseName, look: 'num', cell: ({ leaseEndsInMs }) => durationText(Math.max(0, leaseEndsInMs)) },
      ]}
    />
  );
}
