import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { snapshotAt, type TaskAt } from '../../../../src/admin/snapshots/snapshot-at.js';
import { Source } from '../../api/task-source.js';
import { useLoad } from '../../api/use-load.js';
import { readTask } from '../../view/bundle.js';
import { numberText, shortId } from '../../view/format.js';
import { Artifacts } from '../../parts/content/content.js';
import { Foreign, JsonText } from '../../parts/content/hostile-text.js';
import { StateBadge, TaskLink, Time } from '../../parts/small.js';
import { Shown } from '../../parts/states.js';

/** The task as it was stored when one of its events was the latest. */
export function Snapshot({
  id,
  seq,
  onDone,
}: {
  readonly id: string;
  readonly seq: number;
  readonly onDone: () => void;
}): JSX.Element {
  const { bundle: opened } = useContext(Source);
  const found = useLoad<TaskAt>(`${id} ${String(seq)}`, 0, async (_path, signal) => {
    const bundle = opened ?? (await readTask(id, signal)).bundle;
    return snapshotAt(bundle, id, seq);
  });
  return (
    <section class="card pad stack" aria-label={`The task at event ${String(seq)}`}>
      <div class="head">
        <h2>At event {numberText(seq)}</h2>
        <button type="button" class="button plain push" onClick={onDone}>
          Close
        </button>
      </div>
      <Shown of={found} rows={3}>
        {(at) => <Stored at={at} />}
      </Shown>
    </section>
  );
}

function Stored({ at: { status, artifacts, shared, steps, open } }: { readonly at: TaskAt }): JSX.Element {
  return (
    <>
      <p class="row">
        <StateBadge state={status.state} />
        <Time at={status.timestamp} exact />
      </p>
      <Artifacts artifacts={artifacts} />
      {steps.map(({ turn, name, value }) => (
        <div key={`${String(turn)}:${name}`}>
          <h3>
            Step <Foreign text={name} />
            {turn > 1 ? `, turn ${String(turn)}` : ''}
          </h3>
          <JsonText text={JSON.stringify(value ?? null)} />
        </div>
      ))}
      {Object.keys(shared).length === 0 ? null : (
        <div>
          <h3>Shared values</h3>
          <JsonText text={JSON.stringify(shared)} />
        </div>
      )}
      {open.map(({ task, path }) => (
        <p key={task}>
          <TaskLink id={task} /> was open: <Foreign text={path === '' ? shortId(task) : path} />
        </p>
      ))}
      {artifacts.length + steps.length + open.length === 0 ? <p class="soft">It had nothing else yet.</p> : null}
    </>
  );
}
