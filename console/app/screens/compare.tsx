import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type BundleDifference, diffBundles } from '../../../src/admin/snapshots/diff-bundles.js';
import { errorOf } from '../api/use-load.js';
import { type OpenedBundle, readTask } from '../view/bundle.js';
import { counted, durationText, numberText, shortId } from '../view/format.js';
import { BundleField } from '../parts/form/file-field.js';
import { Foreign, JsonText } from '../parts/content/hostile-text.js';
import { StateBadge, TaskLink, Time } from '../parts/small.js';
import { Failed, Skeleton, StateBox } from '../parts/states.js';
import { route, setQuery } from '../router.js';

/** One of the two sides: a task of the service, or a file. */
type Side = OpenedBundle | Error | 'reading' | undefined;

const TASK_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Two tasks side by side, with their differences. */
export function CompareScreen(): JSX.Element {
  const one = useSignal<Side>(undefined);
  const other = useSignal<Side>(undefined);
  return (
    <>
      <header class="head">
        <h1>Compare two tasks</h1>
      </header>
      <div class="pair">
        <Choice name="a" title="First task" side={one} />
        <Choice name="b" title="Second task" side={other} />
      </div>
      <Outcome one={one.value} other={other.value} />
    </>
  );
}

function Choice({
  name,
  title,
  side,
}: {
  readonly name: 'a' | 'b';
  readonly title: string;
  readonly side: Signal<Side>;
}): JSX.Element {
  const id = route.value.query[name] ?? '';
  useEffect(() => {
    if (!TASK_ID.test(id)) return undefined;
    const end = new AbortController();
    side.value = 'reading';
    readTask(id, end.signal).then(
      (opened) => {
        side.value = opened;
      },
      (error: unknown) => {
        if (!end.signal.aborted) side.value = errorOf(error);
      },
    );
    return () => {
      end.abort();
    };
  }, [id]);
  const { value } = side;
  return (
    <section class="card pad stack" aria-label={title}>
      <h2>{title}</h2>
      <label class="field">
        <span>Id of a task</span>
        <input
          type="search"
          class="mono"
          value={id}
          onChange={({ currentTarget }) => {
            setQuery({ [name]: currentTarget.value.trim().toLowerCase() });
          }}
        />
      </label>
      <BundleField
        label="Or a bundle"
        onOpen={(opened) => {
          setQuery({ [name]: undefined });
          side.value = opened;
        }}
      />
      {value === 'reading' ? <Skeleton rows={2} /> : null}
      {value instanceof Error ? <Failed error={value} /> : null}
      {isOpened(value) ? <About opened={value} isHere={id !== ''} /> : null}
    </section>
  );
}

function isOpened(side: Side): side is OpenedBundle {
  return typeof side === 'object' && !(side instanceof Error);
}

function About({
  opened: { bundle },
  isHere,
}: {
  readonly opened: OpenedBundle;
  readonly isHere: boolean;
}): JSX.Element {
  const about = bundle.tasks.get(bundle.manifest.task)?.about;
  if (about === undefined) return <p class="note bad">The bundle is cut: its task is missing.</p>;
  const { id, skill, state, created, since } = about;
  return (
    <p class="row">
      <StateBadge state={state} />
      <strong>
        <Foreign text={skill} />
      </strong>
      {isHere ? <TaskLink id={id} /> : <span class="mono">{shortId(id)}</span>}
      <span class="soft small">
        <Time at={created} exact />, {durationText(Date.parse(since) - Date.parse(created))}
      </span>
    </p>
  );
}

function Outcome({ one, other }: { readonly one: Side; readonly other: Side }): JSX.Element | null {
  if (!isOpened(one) || !isOpened(other)) return null;
  if (one.bundle.manifest.isStripped !== other.bundle.manifest.isStripped)
    return <p class="note warn">One of them was written without content, so that all texts differ.</p>;
  const found = diffBundles(one.bundle, other.bundle);
  if (found.length === 0) {
    return (
      <section class="card">
        <StateBox icon="check" title="No difference">
          <p class="soft">States, steps, artifacts, words and calls are the same.</p>
        </StateBox>
      </section>
    );
  }
  return (
    <section class="card stack" aria-label="Differences">
      <h2 class="pad">{counted(found.length, 'difference')}</h2>
      {found.map((difference) => (
        <Difference key={`${difference.kind} ${difference.what}`} {...difference} />
      ))}
    </section>
  );
}

const KINDS: Readonly<Record<BundleDifference['kind'], string>> = {
  state: 'State',
  'event-count': 'Number of events',
  step: 'Step',
  'step-time': 'Time of the step',
  artifact: 'Artifact',
  message: 'Message',
  call: 'Call',
};

/** Steps are named by their turn and their name. */
function nameOf(kind: BundleDifference['kind'], what: string): string {
  const [, turn = '', name = ''] = (kind.startsWith('step') ? /^(\d+):(.*)$/s.exec(what) : null) ?? [];
  if (turn === '') return what;
  return turn === '1' ? name : `${name}, turn ${turn}`;
}

function Difference({ kind, what, a, b }: BundleDifference): JSX.Element {
  return (
    <div class="difference">
      <h3>
        {KINDS[kind]} <Foreign text={nameOf(kind, what)} />
      </h3>
      <div class="pair">
        <Value name="First" kind={kind} value={a} />
        <Value name="Second" kind={kind} value={b} />
      </div>
    </div>
  );
}

function Value({
  name,
  kind,
  value,
}: {
  readonly name: string;
  readonly kind: BundleDifference['kind'];
  readonly value: unknown;
}): JSX.Element {
  return (
    <div class="stack">
      <span class="small soft">{name}</span>
      {value === undefined ? <span class="soft">It has none</span> : null}
      {kind === 'step-time' && typeof value === 'number' ? durationText(value) : null}
      {kind === 'event-count' && typeof value === 'number' ? numberText(value) : null}
      {value !== undefined && kind !== 'step-time' && kind !== 'event-count' ? (
        <JsonText text={JSON.stringify(value)} />
      ) : null}
    </div>
  );
}
