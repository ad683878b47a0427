import type { ComponentType } from 'preact';
import type { IconName } from './parts/icons.js';
import type { ScreenProps } from './screens/screen-props.js';
import { TasksScreen } from './screens/tasks/tasks.js';

export interface LoadedScreen {
  readonly Of: ComponentType<ScreenProps>;
}

/** A screen whose script is fetched when it is opened first. */
class LazyScreen {
  /** Set once its script is there: it is shown at once then. */
  ready: LoadedScreen | undefined;
  private loading: Promise<LoadedScreen> | undefined;

  constructor(private readonly fetch: () => Promise<ComponentType<ScreenProps>>) {}

  /** @throws Error where the service has no longer this version of the script */
  load(): Promise<LoadedScreen> {
    this.loading ??= this.fetched();
    return this.loading;
  }

  private async fetched(): Promise<LoadedScreen> {
    try {
      this.ready = { Of: await this.fetch() };
      return this.ready;
    } catch (error) {
      this.loading = undefined;
      throw error;
    }
  }
}

export interface Entry {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly screen: Pick<LazyScreen, 'ready' | 'load'>;
}

/** The list is in the first script. */
const LIST: LoadedScreen = { Of: TasksScreen };

export const WORK: readonly Entry[] = [
  {
    ...({ path: '/tasks', name: 'Tasks', icon: 'tasks' } as const),
    screen: { ready: LIST, load: () => Promise.resolve(LIST) },
  },
  {
    ...({ path: '/approvals', name: 'Approvals', icon: 'ask' } as const),
    screen: new LazyScreen(async () => (await import('./screens/approvals.js')).ApprovalsScreen),
  },
  {
    ...({ path: '/webhooks', name: 'Webhooks', icon: 'webhooks' } as const),
    screen: new LazyScreen(async () => (await import('./screens/webhooks.js')).WebhooksScreen),
  },
  {
    ...({ path: '/agents', name: 'Agents', icon: 'agents' } as const),
    screen: new LazyScreen(async () => (await import('./screens/agents/agents.js')).AgentsScreen),
  },
  {
    ...({ path: '/playground', name: 'Playground', icon: 'play' } as const),
    screen: new LazyScreen(async () => (await import('./screens/playground/playground.js')).PlaygroundScreen),
  },
];
export const SERVICE: readonly Entry[] = [
  {
    ...({ path: '/queue', name: 'Queue', icon: 'queue' } as const),
    screen: new LazyScreen(async () => (await import('./screens/platform/queue.js')).QueueScreen),
  },
  {
    ...({ path: '/workers', name: 'Workers', icon: 'workers' } as const),
    screen: new LazyScreen(async () => (await import('./screens/platform/workers.js')).WorkersScreen),
  },
  {
    ...({ path: '/health', name: 'Health', icon: 'health' } as const),
    screen: new LazyScreen(async () => (await import('./screens/platform/health.js')).HealthScreen),
  },
];
/** Saved bundles of tasks: for finding out why one went as it did. */
export const BUNDLES: Entry = {
  ...({ path: '/bundle', name: 'Bundles', icon: 'bundle' } as const),
  screen: new LazyScreen(async () => (await import('./screens/bundle.js')).BundleScreen),
};
const COMPARE: Entry = {
  ...({ path: '/compare', name: 'Compare', icon: 'bundle' } as const),
  screen: new LazyScreen(async () => (await import('./screens/compare.js')).CompareScreen),
};
export const SELF: Entry = {
  ...({ path: '/me', name: 'Me', icon: 'me' } as const),
  screen: new LazyScreen(async () => (await import('./screens/platform/me.js')).MeScreen),
};
export const TASK: Entry = {
  ...({ path: '/tasks/', name: 'Task', icon: 'tasks' } as const),
  screen: new LazyScreen(async () => (await import('./screens/task/task.js')).TaskScreen),
};

/** The screen of an address; undefined where there is none. */
export function entryOf([first = 'tasks', id]: readonly string[]): Entry | undefined {
  if (first === 'tasks' && id !== undefined) return TASK;
  return [...WORK, ...SERVICE, BUNDLES, COMPARE, SELF].find(({ path }) => path === `/${first}`);
}
