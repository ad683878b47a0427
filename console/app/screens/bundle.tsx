import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Source } from '../api/task-source.js';
import { type OpenedBundle, sourceOf } from '../view/bundle.js';
import { counted } from '../view/format.js';
import { BundleField } from '../parts/form/file-field.js';
import { Foreign } from '../parts/content/hostile-text.js';
import { Time } from '../parts/small.js';
import { hrefOf, navigate, segments } from '../router.js';
import type { ScreenProps } from './screen-props.js';
import { TaskScreen } from './task/task.js';

/** The bundle that is shown. A reload forgets it: it is in this variable and nowhere else. */
const opened = signal<OpenedBundle | undefined>(undefined);

/** Shows the tasks of a bundle as the service shows its own, without a service. */
export function BundleScreen(props: ScreenProps): JSX.Element {
  const { value } = opened;
  if (value === undefined || segments.value[1] === undefined) return <Open />;
  return <Shown of={value} {...props} />;
}

function Shown({ of, ...props }: ScreenProps & { readonly of: OpenedBundle }): JSX.Element {
  const source = useMemo(() => sourceOf(of), [of]);
  const { manifest, tasks, isCut } = of.bundle;
  return (
    <Source.Provider value={source}>
      <p class="note">
        From the file <Foreign text={of.name} />, written <Time at={manifest.made} exact /> by version{' '}
        <Foreign text={manifest.service} />: {counted(tasks.size, 'task')}
        {manifest.isStripped ? ', without content' : ''}
        {isCut ? ', cut at 64 MiB' : ''}. <a href={hrefOf('/bundle')}>Open another one</a>
      </p>
      <TaskScreen key={segments.value[1] ?? ''} {...props} />
    </Source.Provider>
  );
}

function Open(): JSX.Element {
  return (
    <>
      <header class="head">
        <h1>Bundles</h1>
      </header>
      <section class="card pad stack" aria-label="Open a bundle">
        <h2>Open a bundle</h2>
        <p class="soft">
          A task that was saved with “Save bundle” or with <code>parley ops trace export</code>, of this service or of
          another one. It is shown here and is sent nowhere.
        </p>
        <BundleField
          label="File"
          onOpen={(bundle) => {
            opened.value = bundle;
            navigate(hrefOf(`/bundle/${bundle.bundle.manifest.task}`));
          }}
        />
      </section>
      <section class="card pad stack" aria-label="Compare two tasks">
        <h2>Compare two tasks</h2>
        <p class="soft">Two tasks, two bundles, or one of each: what differs in states, steps, artifacts and calls.</p>
        <p>
          <a class="button" href={hrefOf('/compare')}>
            Compare
          </a>
        </p>
      </section>
    </>
  );
}
