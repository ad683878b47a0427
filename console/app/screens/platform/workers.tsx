import type { JSX } from 'preact';
import type { HeldRun, WorkersView } from '../../api/types.js';
import { ageText, counted, durationText, numberText, shortId } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Polled } from '../../parts/list/polled.js';
import { Copy, TaskLink } from '../../parts/small.js';

/** The processes of the service and the runs that they hold. */
export function WorkersScreen(): JSX.Element {
  return (
    <Polled<WorkersView> title="Workers" path="/platform/workers" everyMs={2_000}>
      {({ processes, orphans }) => (
        <>
          {orphans.length === 0 ? null : (
            <section class="card" aria-label="Runs without a process">
              <div class="pad stack">
                <h2>{counted(orphans.length, 'run')} of processes that do not report</h2>
                <p class="note warn">Other workers take these over when their leases end.</p>
              </div>
              <Runs runs={orphans} isApart />
            </section>
          )}
          <section class="card scroller" tabIndex={0} aria-label="Processes">
            <table>
              <thead>
                <tr>
                  <th>Process</th>
                  <th>Role</th>
                  <th>Version</th>
                  <th>Host</th>
                  <th>Began</th>
                  <th class="num">Runs</th>
                </tr>
              </thead>
              <tbody>
                {processes.map(({ id, role, version, host = '', pid, since, runs }) => (
                  <tr key={id}>
                    <td class="mono tight">
                      {shortId(id)} <Copy text={id} what="the id of the process" />
                    </td>
                    <td>{role}</td>
                    <td>{version}</td>
                    <td>
                      <Foreign text={host} />
                      {pid === undefined ? null : <span class="soft"> pid {pid}</span>}
                    </td>
                    <td class="tight">{since === undefined ? '' : ageText(since)}</td>
                    <td class="num">{numberText(runs.length)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          <section class="card" aria-label="Runs">
            <div class="pad">
              <h2>Runs</h2>
            </div>
            <Runs runs={processes.flatMap(({ runs }) => runs)} />
          </section>
        </>
      )}
    </Polled>
  );
}

function Runs({
  runs,
  isApart = false,
}: {
  readonly runs: readonly HeldRun[];
  readonly isApart?: boolean;
}): JSX.Element {
  if (runs.length === 0) return <p class="pad soft">No process holds a run.</p>;
  return (
    <div class="scroller" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Task</th>
            <th>Skill</th>
            <th>Tenant</th>
            <th>Process</th>
            <th class="num">{isApart ? 'Taken over in' : 'Lease left'}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ taskId, skill, tenant, worker, leaseEndsInMs }) => (
            <tr key={taskId}>
              <td>
                <TaskLink id={taskId} />
              </td>
              <td>
                <Foreign text={skill} />
              </td>
              <td>
                <Foreign text={tenant} />
              </td>
              <td class="mono">{shortId(worker)}</td>
              <td class="num tight">{durationText(Math.max(0, leaseEndsInMs))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
