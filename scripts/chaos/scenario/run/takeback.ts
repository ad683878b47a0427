import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { insist } from '../../load/caller.js';
import { fallAtPoints, fallPromises, fallsOf, fallText } from '../../load/fall-at-points.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { type Scenario, unless } from '../../scenario.js';
import { readStoredTasks, type StoredTask } from '../../check/stored-tasks.js';
import { violationsIn } from '../../check/verdict.js';

/** Points at which processes end themselves, by their role: kill-points.mjs explains each. */
const WORKER_POINTS = ['undoing', 'undone'];
const API_POINTS = ['canceled'];
const DISPATCHER_POINTS = ['cascading'];

/** Steps of each task that can be taken back, and children of those that are canceled. */
const STEPS = 3;
const CHILDREN = 3;
const LOOK_MS = 100;

interface Taken {
  readonly of: string;
  readonly n: number;
}

/** Tasks with finished work fail or are canceled, while processes kill themselves during the cancel and while the work is undone. */
export const takeback: Scenario = {
  name: 'takeback',
  what: `tasks whose finished work is undone since they fail or are canceled, and processes kill themselves at named points: ${[...API_POINTS, ...DISPATCHER_POINTS, ...WORKER_POINTS].join(', ')}`,
  tasks: { usual: 10, full: 20 },
  settings: { workers: 3, standby: 3, passes: 4, kills: 10, 'timeout-s': 300 },

  async run({ tasks, setting, say }) {
    const [kills, passes] = [setting('kills'), setting('passes')];
    const killAt = {
      worker: { points: WORKER_POINTS, passes, kills },
      api: { points: API_POINTS, passes, kills },
      // The sweep continues few cancels: those that died with the process that was asked.
      dispatcher: { points: DISPATCHER_POINTS, passes: 1, kills },
    };
    const fleet = await Fleet.start({
      size: { api: 2, worker: setting('workers'), dispatcher: 2 },
      standby: { api: 1, worker: setting('standby'), dispatcher: 1 },
      taskOptions: { maxAttempts: 100 },
      variables: { WORKER_CONCURRENCY: '2' },
      killAt,
    });
    try {
      const roots: string[] = [];
      await fallAtPoints(fleet, killAt, async () => {
        roots.push(...(await failAndCancel(fleet, tasks, setting('timeout-s') * 1_000)));
        say(`crashes: ${fallText(fallsOf(fleet, killAt))}`);
      });
      const found = await findings(fleet, roots);
      const falls = fallsOf(fleet, killAt);
      return {
        figures: { ...found, fallen: falls },
        summary: `${String(roots.length)} tasks failed or were canceled, crashes: ${fallText(falls)}: ${String(found.notUndone)} pieces of work not undone, ${String(found.twice)} undone twice, ${String(found.outOfOrder)} out of order, ${String(found.open)} tasks not ended`,
        broken: unless({ ...promises(fleet, found), ...fallPromises(falls, kills) }),
        late: [],
      };
    } finally {
      await fleet.stop();
    }
  },
};

function promises(
  { surprises }: Fleet,
  { notUndone, twice, outOfOrder, open, violations }: Awaited<ReturnType<typeof findings>>,
): Readonly<Record<string, boolean>> {
  return {
    'finished work was not undone': notUndone === 0,
    'finished work was undone by two tasks': twice === 0,
    'work was not undone newest first': outOfOrder === 0,
    'tasks have not ended': open === 0,
    [`stored tasks are not as they must be: ${violations.slice(0, 3).join('; ')}`]: violations.length === 0,
    [`processes ended by themselves: ${surprises.slice(0, 3).join('; ')}`]: surprises.length === 0,
  };
}

/** Begins tasks of which every other one fails by itself, and cancels the rest. Resolves when all have ended. */
async function failAndCancel(fleet: Fleet, count: number, timeoutMs: number): Promise<readonly string[]> {
  const replicas = (): readonly string[] => fleet.apis;
  const begin = async (_none: unknown, at: number): Promise<string> => {
    const fails = at % 2 === 0;
    const data = { steps: STEPS, width: fails ? 0 : CHILDREN, fails };
    const { result, error } = await insist(replicas, 'SendMessage', {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data }], metadata: { skillId: 'saga' } },
      configuration: { returnImmediately: true },
    });
    if (result?.task === undefined) throw new Error(`No task was begun: ${error?.message ?? 'no task'}`);
    return result.task.id;
  };
  const roots = await Promise.all(Array.from({ length: count }, begin));
  const canceled = roots.filter((_root, at) => at % 2 === 1);
  const stored = (): Promise<readonly StoredTask[]> => readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  const isAsleep = (all: readonly StoredTask[], root: string): boolean => {
    const own = all.filter(({ fields, events }) => fields.skill === 'saga' && events.some(isChildOf(root)));
    return own.length >= CHILDREN && own.every(({ fields }) => fields.state === 'TASK_STATE_WORKING');
  };
  await until(async () => {
    const all = await stored();
    await pause(LOOK_MS);
    return canceled.every((root) => isAsleep(all, root));
  }, timeoutMs);
  await Promise.all(canceled.map((id) => insist(replicas, 'CancelTask', { id })));
  await until(async () => {
    await pause(LOOK_MS);
    return (await stored()).every(isEnded);
  }, timeoutMs);
  return roots;
}

/** A child says whose it is. */
function isChildOf(root: string) {
  return ({ event }: StoredTask['events'][number]): boolean =>
    'statusUpdate' in event && event.statusUpdate.metadata?.of === root;
}

async function findings(fleet: Fleet, roots: readonly string[]) {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  const taken = stored.filter(({ fields }) => fields.skill === 'takeback').flatMap(takenBy);
  const ofRoots = roots.map((root) => taken.filter(({ of }) => of === root).sort((a, b) => a.ms - b.ms));
  const numbers = ofRoots.map((own) => own.map(({ n }) => n));
  return {
    tasks: stored.length,
    open: stored.filter((task) => !isEnded(task)).length,
    notUndone: numbers.reduce((sum, own) => sum + STEPS - new Set(own).size, 0),
    twice: numbers.reduce((sum, own) => sum + own.length - new Set(own).size, 0),
    outOfOrder: numbers.filter((own) => own.some((n, at) => at > 0 && n > (own[at - 1] ?? n))).length,
    violations: await violationsIn(fleet),
  };
}

/** Undone work of a task, and when it ended, ms. */
function takenBy({ events, fields }: StoredTask): readonly (Taken & { readonly ms: number })[] {
  const parts = events.flatMap(({ event }) => ('artifactUpdate' in event ? event.artifactUpdate.artifact.parts : []));
  const [last] = parts.slice(-1);
  return last !== undefined && 'data' in last ? [{ ...(last.data as Taken), ms: Number(fields.ms) }] : [];
}

function isEnded({ fields }: StoredTask): boolean {
  return ['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'].includes(fields.state ?? '');
}
