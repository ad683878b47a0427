import { useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { config, signOut, stage } from './api/session.js';
import { type Loading, useLoad } from './api/use-load.js';
import type { MeView } from './api/types.js';
import { Gate } from './gate.js';
import { Icon, type IconName } from './parts/icons.js';
import { Mark } from './mark.js';
import { Preferences } from './parts/preferences.js';
import { Toast } from './parts/small.js';
import { Skeleton, StateBox } from './parts/states.js';
import { hrefOf, segments } from './router.js';
import { TasksScreen } from './screens/tasks.js';

export interface ScreenProps {
  readonly me: Loading<MeView>;
}

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly load?: () => Promise<ComponentType<ScreenProps>>;
}

/** The list is in the first script; every other screen is fetched when it is opened. */
const WORK: readonly Entry[] = [
  { path: '/tasks', name: 'Tasks', icon: 'tasks' },
  {
    path: '/approvals',
    name: 'Approvals',
    icon: 'ask',
    load: async () => (await import('./screens/approvals.js')).ApprovalsScreen,
  },
  {
    path: '/webhooks',
    name: 'Webhooks',
    icon: 'webhooks',
    load: async () => (await import('./screens/webhooks.js')).WebhooksScreen,
  },
  {
    path: '/playground',
    name: 'Playground',
    icon: 'play',
    load: async () => (await import('./screens/playground.js')).PlaygroundScreen,
  },
];
const SERVICE: readonly Entry[] = [
  { path: '/queue', name: 'Queue', icon: 'queue', load: async () => (await import('./screens/queue.js')).QueueScreen },
  {
    path: '/workers',
    name: 'Workers',
    icon: 'workers',
    load: async () => (await import('./screens/workers.js')).WorkersScreen,
  },
  {
    path: '/health',
    name: 'Health',
    icon: 'health',
    load: async () => (await import('./screens/health.js')).HealthScreen,
  },
];
const SELF: Entry = {
  path: '/me',
  name: 'Me',
  icon: 'me',
  load: async () => (await import('./screens/me.js')).MeScreen,
};
const TASK: Entry = {
  path: '/tasks/',
  name: 'Task',
  icon: 'tasks',
  load: async () => (await import('./screens/task.js')).TaskScreen,
};

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
  const main = useRef<HTMLElement>(null);
  const [first = 'tasks', id] = segments.value;
  const isTask = first === 'tasks' && id !== undefined;
  const entry = isTask ? TASK : [...WORK, ...SERVICE, SELF].find(({ path }) => path === `/${first}`);
  const name = entry?.name ?? 'Not found';
  useEffect(() => {
    document.title = `${isTask ? `Task ${id.slice(0, 8)}` : name} · Parley console`;
    main.current?.focus({ preventScroll: true });
  }, [first, id]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <OpenBanner />
      <Navigation me={me} current={first} />
      <main id="main" class="main" tabIndex={-1} ref={main}>
        {entry === undefined ? (
          <StateBox icon="none" title="There is no such page">
            <a class="button" href={hrefOf('/tasks')}>
              Go to the tasks
            </a>
          </StateBox>
        ) : (
          <Screen key={entry.path} entry={entry} me={me} />
        )}
      </main>
      <Toast />
    </div>
  );
}

function Screen({ entry, me }: { readonly entry: Entry; readonly me: Loading<MeView> }): JSX.Element {
  const loaded = useSignal<{ readonly Of: ComponentType<ScreenProps> } | 'gone' | undefined>(undefined);
  useEffect(() => {
    entry.load?.().then(
      (Of) => {
        loaded.value = { Of };
      },
      () => {
        loaded.value = 'gone';
      },
    );
  }, []);
  if (entry.load === undefined) return <TasksScreen me={me} />;
  if (loaded.value === undefined) return <Skeleton />;
  if (loaded.value === 'gone') {
    return (
      <StateBox icon="warn" title="This page is of an older version">
        <p class="soft">
          The service was updated, or it cannot be reached. Loading the page again brings the new version.
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
  return <Of me={me} />;
}

function OpenBanner(): JSX.Element | null {
  if (config.value?.login.kind !== 'open') return null;
  return (
    <div class="banner" role="note">
      <Icon name="warn" />
      <strong>Open to this machine.</strong>
      <span>Nobody logs in here: every program of this machine may do all that this console can.</span>
    </div>
  );
}

function Navigation({ me, current }: { readonly me: Loading<MeView>; readonly current: string }): JSX.Element {
  const { data } = me.state.value;
  const open = config.value?.login.kind === 'open';
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the entries are a row that scrolls.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, data]);
  return (
    <nav class="nav" aria-label="Main" ref={nav}>
      <a class="brand" href={hrefOf('/tasks')}>
        <Mark />
        <span>
          Parley <small>{config.value?.version}</small>
        </span>
      </a>
      <Items entries={WORK} current={current} />
      {data?.isOfPlatform === false ? null : <Items title="Service" entries={SERVICE} current={current} />}
      <Items entries={[SELF]} current={current} />
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

function Items({
  title,
  entries,
  current,
}: {
  readonly title?: string;
  readonly entries: readonly Entry[];
  readonly current: string;
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
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
