import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { config, signOut, stage } from './api/session/session.js';
import { type Loading, useLoad } from './api/use-load.js';
import type { ApprovalList } from './api/approval-types.js';
import type { MeView } from './api/types.js';
import { Gate } from './gate.js';
import { Icon } from './parts/icons.js';
import { KeyHelp, watchKeys } from './keys.js';
import { Mark } from './mark.js';
import { Preferences } from './parts/preferences.js';
import { Toast } from './parts/small.js';
import { Skeleton, StateBox } from './parts/states.js';
import { hrefOf, segments } from './router.js';
import { BUNDLES, type Entry, entryOf, type LoadedScreen, SELF, SERVICE, TASK, WORK } from './screens.js';
import { noteViewer } from './api/feed/shared-feed.js';
import { APPROVALS_EVERY_MS, type ScreenProps } from './screens/screen-props.js';

export function App(): JSX.Element {
  switch (stage.value) {
    case 'starting':
      return (
        <main class="main">
          <Skeleton />
        </main>
      );
    case 'out':
      return <Gate />;
    case 'in':
      return <Shell />;
  }
}

function Shell(): JSX.Element {
  const me = useLoad<MeView>('/me');
  useEffect(() => {
    noteViewer(me.state.value.data ?? me.state.value.error);
  }, [me.state.value.data, me.state.value.error]);
  const mayAnswer = me.state.value.data?.scopes.some(({ name, has }) => has && name === ANSWER) === true;
  const isOpen = segments.value[0] === 'approvals';
  // Its page says which scope is missing.
  const approvals = useLoad<ApprovalList>(
    mayAnswer || isOpen ? '/approvals' : undefined,
    mayAnswer ? APPROVALS_EVERY_MS : 0,
  );
  const asked = approvals.state.value.data?.questions.filter(({ refused }) => refused === undefined).length ?? 0;
  const main = useRef<HTMLElement>(null);
  const [first = 'tasks', id] = segments.value;
  const entry = entryOf(segments.value);
  const isTask = entry === TASK && id !== undefined;
  const name = entry?.name ?? 'Not found';
  useEffect(watchKeys, []);
  useEffect(() => {
    main.current?.focus({ preventScroll: true });
  }, [first, id]);
  useEffect(() => {
    const page = isTask ? `Task ${id.slice(0, 8)}` : name;
    document.title = `${asked === 0 ? '' : `(${String(asked)}) `}${page} · Parley console`;
  }, [first, id, asked]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <OpenBanner />
      <Navigation me={me} current={first} asked={asked} />
      <main id="main" class="main" tabIndex={-1} ref={main}>
        {entry === undefined ? (
          <StateBox icon="none" title="There is no such page">
            <a class="button" href={hrefOf('/tasks')}>
              Go to the tasks
            </a>
          </StateBox>
        ) : (
          <Screen key={entry.path} entry={entry} me={me} approvals={approvals} />
        )}
      </main>
      <Toast />
      <KeyHelp />
    </div>
  );
}

function Screen({ entry, ...props }: ScreenProps & { readonly entry: Entry }): JSX.Element {
  const loaded = useSignal<LoadedScreen | 'gone' | 'away' | undefined>(entry.screen.ready);
  useEffect(() => {
    if (loaded.peek() !== undefined) return;
    entry.screen.load().then(
      (screen) => {
        loaded.value = screen;
      },
      () => {
        // A script that is missing is answered; a service that is away answers nothing.
        void fetch(hrefOf('/'), { method: 'HEAD', cache: 'no-store' }).then(
          () => {
            loaded.value = 'gone';
          },
          () => {
            loaded.value = 'away';
          },
        );
      },
    );
  }, []);
  if (loaded.value === undefined) return <Skeleton />;
  if (loaded.value === 'gone' || loaded.value === 'away') {
    return (
      <StateBox
        icon="warn"
        title={loaded.value === 'away' ? 'The service does not answer' : 'This page is of an older version'}
      >
        <p class="soft">
          {loaded.value === 'away'
            ? 'This screen cannot be loaded. Load it again once the service answers.'
            : 'The service was updated. Loading the page again brings the new version.'}
        </p>
        <button
          type="button"
          class="button"
          onClick={() => {
            location.reload();
          }}
        >
          Load again
        </button>
      </StateBox>
    );
  }
  const { Of } = loaded.value;
  return <Of {...props} />;
}

function OpenBanner(): JSX.Element | null {
  if (config.value?.login.kind !== 'open') return null;
  return (
    <aside class="banner" aria-label="Who may use this console">
      <Icon name="warn" />
      <strong>Open to this machine.</strong>
      <span>There is no log-in: every program of this machine may do all that this console can.</span>
    </aside>
  );
}

interface NavigationProps {
  readonly me: Loading<MeView>;
  readonly current: string;
  /** Questions that wait for the viewer. */
  readonly asked: number;
}

function Navigation({ me, current, asked }: NavigationProps): JSX.Element {
  const { data } = me.state.value;
  const open = config.value?.login.kind === 'open';
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the entries are a row that scrolls.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current, data, asked]);
  return (
    <nav class="nav" aria-label="Main" ref={nav}>
      <a class="brand" href={hrefOf('/tasks')}>
        <Mark />
        <span>
          Parley <small>{config.value?.version}</small>
        </span>
      </a>
      <Items entries={WORK} current={current} counts={{ '/approvals': asked }} />
      {data?.isOfPlatform === false ? null : <Items title="Service" entries={SERVICE} current={current} />}
      <Items entries={[BUNDLES, SELF]} current={current} />
      <div class="foot">
        {data === undefined ? null : (
          <span>
            {data.tenant} / {data.subject ?? data.client}
          </span>
        )}
        <Preferences />
        {open ? null : (
          <button
            type="button"
            class="button plain"
            onClick={() => {
              signOut('');
            }}
          >
            <Icon name="out" /> Log out
          </button>
        )}
      </div>
    </nav>
  );
}

function Count({ of }: { readonly of: number }): JSX.Element | null {
  if (of === 0) return null;
  return (
    <span class="count">
      {String(of)}
      <span class="hidden-text"> to answer</span>
    </span>
  );
}

const ANSWER = 'a2a:approvals.answer';

function Items({
  title,
  entries,
  current,
  counts = {},
}: {
  readonly title?: string;
  readonly entries: readonly Entry[];
  readonly current: string;
  /** Waiting items of the viewer, by the path of its screen. */
  readonly counts?: Readonly<Record<string, number>>;
}): JSX.Element {
  return (
    <div>
      {title === undefined ? null : <h2>{title}</h2>}
      <ul>
        {entries.map(({ path, name, icon }) => (
          <li key={path}>
            <a class="item" href={hrefOf(path)} aria-current={`/${current}` === path ? 'page' : undefined}>
              <Icon name={icon} />
              {name}
              <Count of={counts[path] ?? 0} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
