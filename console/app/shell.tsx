import { useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { config, signOut, stage } from './api/session.js';
import { type Loading, useLoad } from './api/use-load.js';
import type { ApprovalList, MeView } from './api/types.js';
import { Gate } from './gate.js';
import { Icon, type IconName } from './parts/icons.js';
import { Mark } from './mark.js';
import { Preferences } from './parts/preferences.js';
import { Toast } from './parts/small.js';
import { Skeleton, StateBox } from './parts/states.js';
import { hrefOf, segments } from './router.js';
import { APPROVALS_EVERY_MS, type ScreenProps } from './screens/screen-props.js';
import { TasksScreen } from './screens/tasks.js';

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
    path: '/agents',
    name: 'Agents',
    icon: 'agents',
    load: async () => (await import('./screens/agents.js')).AgentsScreen,
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
  const isTask = first === 'tasks' && id !== undefined;
  const entry = isTask ? TASK : [...WORK, ...SERVICE, SELF].find(({ path }) => path === `/${first}`);
  const name = entry?.name ?? 'Not found';
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
    </div>
  );
}

function Screen({ entry, ...props }: ScreenProps & { readonly entry: Entry }): JSX.Element {
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
  if (entry.load === undefined) return <TasksScreen {...props} />;
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
  return <Of {...props} />;
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
      <Items entries={WORK} current={current} counts={{ '/approvals': asked }} />
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
  /** What waits for the viewer, by the path of its screen. */
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
