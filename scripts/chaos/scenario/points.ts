import { type Scenario, type ScenarioOptions, unless } from '../scenario.js';
import { type Survived, survive } from '../survive.js';
import type { WorkloadOptions } from '../workload.js';

type Skill = NonNullable<WorkloadOptions['skillId']>;

/** Each with a skill that comes by it, and where: kill-points.mjs says what they are. */
const POINTS: readonly (readonly [point: string, skill: Skill, role: 'worker' | 'dispatcher'])[] = [
  ['taken', 'steps', 'worker'],
  ['ended', 'steps', 'worker'],
  ['before-park', 'naps', 'worker'],
  ['after-park', 'naps', 'worker'],
  ['at-wake', 'naps', 'worker'],
  ['swept', 'naps', 'dispatcher'],
];

/** Processes kill themselves at named points of a run's life, each time at one of the next passes. */
export const points: Scenario = {
  name: 'points',
  what: `processes kill themselves at named points: ${POINTS.map(([point]) => point).join(', ')}`,
  tasks: { usual: 60, full: 300 },
  settings: { workers: 3, dispatchers: 2, standby: 3, passes: 6, callers: 6, 'timeout-s': 300 },

  async run({ tasks, random, setting, say }) {
    const runs: (Survived & { readonly point: string })[] = [];
    for (const [point, skillId, role] of POINTS) {
      const survived = await surviveAt({ point, skillId, role }, { tasks, random, setting });
      say(`${point}: ${String(survived.fleet.fallen)} crashes, ${survived.summary}`);
      runs.push({ ...survived, point });
    }
    const fallen = Object.fromEntries(runs.map(({ point, fleet }) => [point, fleet.fallen]));
    return {
      figures: { fallen, faults: Object.fromEntries(runs.map(({ point, findings }) => [point, findings])) },
      summary: runs
        .map(({ point, fleet, summary }) => `${point}: ${String(fleet.fallen)} crashes, ${summary}`)
        .join('; '),
      broken: [
        ...runs.flatMap(({ point, broken }) => broken.map((promise) => `${point}: ${promise}`)),
        ...unless(Object.fromEntries(runs.map(({ point, fleet }) => [`nobody died: ${point}`, fleet.fallen > 0]))),
      ],
      late: [],
    };
  },
};

function surviveAt(
  { point, skillId, role }: { readonly point: string; readonly skillId: Skill; readonly role: 'worker' | 'dispatcher' },
  { tasks, random, setting }: Pick<ScenarioOptions, 'tasks' | 'random' | 'setting'>,
): Promise<Survived> {
  return survive(
    {
      fleet: {
        size: { api: 1, worker: setting('workers'), dispatcher: setting('dispatchers') },
        standby: { [role]: setting('standby') },
        // The sweep ends many waits in one pass.
        // Few slots: a process that dies takes few runs with it, and the others make progress.
        variables: {
          CHAOS_KILL_AT: `${point} ${String(role === 'worker' ? setting('passes') : 1)}`,
          WORKER_CONCURRENCY: '3',
        },
        taskOptions: { maxAttempts: 100 },
        mortal: [role],
      },
      workload: {
        ...{ tasks, skillId, callers: setting('callers'), steps: [1, 4], pauseMs: [60, 300] },
        ...{ canceledShare: 0.05, askingShare: skillId === 'steps' ? 0.1 : 0, readShare: 0.1, hookedShare: 0.05 },
      },
      timeoutMs: setting('timeout-s') * 1000,
      harm: (_fleet, work) => work(),
    },
    random,
  );
}
