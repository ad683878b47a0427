/** A task's states as far as the rules tell them apart: the two that wait are one here, as are COMPLETED and FAILED. */
type State = 'submitted' | 'working' | 'waiting' | 'ended' | 'canceled';

/**
 * One task and all who touch it, as small as the rules allow: what is stored, the jobs that name it, two workers that
 * believe they run it, and a sweep between its look and its deed. Small numbers stand for any number.
 */
export interface World {
  readonly state: State;
  readonly fence: number;
  /** Fence of the run that holds the task; 0 for nobody. It stands for the nonce too. */
  readonly holder: number;
  readonly isLeaseLive: boolean;
  readonly cancel: 'none' | 'asked' | 'overdue';
  /** What ends the wait of a parked task besides a cancel: its time alone, or a message too. */
  readonly parked: 'no' | 'time' | 'message';
  readonly attempts: number;
  /** Messages that stand in line: those that the run has been given, and those that came later. */
  readonly taken: number;
  readonly later: number;
  /** Fences named by jobs of the queue. */
  readonly jobs: readonly number[];
  /** Fences that the two worker processes believe they hold; 0 for an idle one. */
  readonly workers: readonly [number, number];
  /** What the sweep has seen and not yet acted on. */
  readonly verdict: { readonly fence: number; readonly as: State } | undefined;
  /** A process has committed a run request and not yet added its job: it may crash before that. */
  readonly toAdd: number;
  /** Messages that callers were told are accepted, and those that a turn has answered or that ended with the task. */
  readonly accepted: number;
  readonly answered: number;
  /** What must never be. */
  readonly fault: string;
}

/** A rule left out: the check must notice each. */
export type Mutation =
  | 'no fencing'
  | 'no terminal guard'
  | 'no sweep'
  | 'resume without a wish, and no sweep'
  | 'a job claims twice'
  | 'settling what has moved'
  | 'a commit overtakes a cancel'
  | 'a lost run keeps its fence'
  | 'the end drops messages in line'
  | 'a park does not look for messages'
  | 'a parked task is claimed'
  | 'nothing ends a wait'
  | 'a wake asks for no run, and no sweep';

const MAX_ATTEMPTS = 2;
const MAX_MESSAGES = 3;
/** Fences further back than this are all alike: no rule tells them apart. */
const REACH = 3;

export const BEGINNING: World = {
  ...{ state: 'submitted', fence: 1, holder: 0, isLeaseLive: false, cancel: 'none', attempts: 0, parked: 'no' },
  ...{
    taken: 0,
    later: 1,
    jobs: [],
    workers: [0, 0],
    verdict: undefined,
    toAdd: 1,
    accepted: 1,
    answered: 0,
    fault: '',
  },
};

/** A thing that may happen next. `byCaller`: nobody can count on it to happen. */
export interface Happening {
  readonly what: string;
  readonly byCaller?: true;
  readonly world: World;
}

/** The same world under the smallest numbers, so that there are not endlessly many of it. */
function normal(world: World): World {
  const shift = Math.max(0, world.fence - REACH);
  const near = (fence: number): number => (fence === 0 ? 0 : Math.max(1, fence - shift));
  const [one, other] = [near(world.workers[0]), near(world.workers[1])];
  return {
    ...world,
    ...{ fence: near(world.fence), holder: near(world.holder), toAdd: near(world.toAdd) },
    workers: one < other ? [one, other] : [other, one],
    jobs: [...new Set(world.jobs.map(near))],
    attempts: Math.max(0, world.attempts),
    answered: Math.min(world.answered, world.accepted),
    verdict: world.verdict === undefined ? undefined : { ...world.verdict, fence: near(world.verdict.fence) },
  };
}

export function isAtRest({ state }: World): boolean {
  return isEnded(state) || state === 'waiting';
}

/** Everything that may happen in a world. */
export function happenings(world: World, mutation?: Mutation): readonly Happening[] {
  const rules = new Rules(mutation);
  const next = [
    ...addingJobs(world),
    ...[0, 1].flatMap((worker) => workerDeeds(world, worker as 0 | 1, rules)),
    ...theLapseOfTime(world, rules),
    ...callers(world, rules),
    ...(rules.lacks('no sweep', 'resume without a wish, and no sweep', 'a wake asks for no run, and no sweep')
      ? []
      : sweeping(world, rules)),
  ];
  return next.map((happening) => ({ ...happening, world: normal(happening.world) }));
}

class Rules {
  constructor(private readonly mutation: Mutation | undefined) {}

  lacks(...mutations: readonly Mutation[]): boolean {
    return this.mutation !== undefined && mutations.includes(this.mutation);
  }
}

function addingJobs(world: World): readonly Happening[] {
  if (world.toAdd === 0) return [];
  return [
    { what: 'the job is added', world: { ...withJob(world, world.toAdd), toAdd: 0 } },
    { what: 'who should add the job dies', world: { ...world, toAdd: 0 } },
  ];
}

function workerDeeds(world: World, worker: 0 | 1, rules: Rules): readonly Happening[] {
  const fence = world.workers[worker];
  if (fence === 0) {
    return world.jobs.flatMap((job) => {
      const claimed = claim(world, worker, job, rules);
      const gone = { ...claimed, jobs: claimed.jobs.filter((it) => it !== job) };
      // The queue gives a job again whose worker was slow to acknowledge it.
      return [
        { what: `worker ${worker} claims run ${job}`, world: gone },
        { what: `worker ${worker} claims run ${job}, whose job stays`, world: claimed },
      ];
    });
  }
  const idle = withWorker(world, worker, 0);
  const writes = commits(world, worker, rules);
  const releases = holds(world, fence, rules)
    ? [
        { what: `worker ${worker} leaves`, world: vacated({ ...idle, attempts: world.attempts - 1 }) },
        ...(world.attempts < MAX_ATTEMPTS
          ? [{ what: `the skill of worker ${worker} breaks`, world: vacated(idle) }]
          : []),
      ]
    : [];
  return [{ what: `worker ${worker} dies`, world: idle }, ...writes, ...releases];
}

function claim(world: World, worker: 0 | 1, job: number, rules: Rules): World {
  if (isEnded(world.state) && !rules.lacks('no terminal guard')) return world;
  if (world.fence !== job || world.state === 'waiting') return world;
  if (world.parked !== 'no') {
    return rules.lacks('a parked task is claimed') ? { ...world, fault: 'a parked task was run' } : world;
  }
  if (world.holder !== 0 && !rules.lacks('a job claims twice')) return world;
  const { taken, later, attempts } = world;
  const got = {
    holder: job,
    isLeaseLive: true,
    attempts: Math.min(attempts, MAX_ATTEMPTS) + 1,
    taken: taken + later,
    later: 0,
  };
  return withWorker({ ...world, ...got }, worker, job);
}

function commits(world: World, worker: 0 | 1, rules: Rules): readonly Happening[] {
  const fence = world.workers[worker];
  const idle = withWorker(world, worker, 0);
  if (!holds(world, fence, rules)) return [{ what: `worker ${worker} learns that it has lost`, world: idle }];
  if (world.cancel !== 'none' && !rules.lacks('a commit overtakes a cancel')) {
    return [{ what: `worker ${worker} ends what was canceled`, world: settled(idle, fence, 'canceled', rules) }];
  }
  const alive = { ...world, isLeaseLive: true };
  const done = { ...idle, answered: world.answered + world.taken, taken: 0 };
  const next = { ...vacated(done), attempts: 0 };
  const givesWay = world.later > 0 && !rules.lacks('the end drops messages in line');
  return [
    { what: `worker ${worker} writes`, world: event(alive, 'working', fence) },
    { what: `worker ${worker} fails the task`, world: finished(event(done, 'ended', fence), 'told') },
    ...(givesWay
      ? [{ what: `worker ${worker} ends its turn, the next begins`, world: { ...next, toAdd: next.fence } }]
      : [
          { what: `worker ${worker} completes the task`, world: finished(event(done, 'ended', fence), 'silent') },
          { what: `worker ${worker} asks`, world: { ...vacated(event(done, 'waiting', fence)) } },
        ]),
    ...parks(idle, worker, rules),
  ];
}

/** A run that waits for a time or a message lets go of its task; for a message only where none has come. */
function parks(idle: World, worker: 0 | 1, rules: Rules): readonly Happening[] {
  const parked: World = { ...vacated(idle), attempts: 0, parked: 'time' };
  const sleeps = { what: `worker ${worker} parks the task for a time`, world: parked };
  if (idle.later > 0 && !rules.lacks('a park does not look for messages')) return [sleeps];
  const fault = idle.later > 0 ? 'a task waits for a message that has come' : '';
  const listens: World = { ...parked, parked: 'message', fault };
  return [sleeps, { what: `worker ${worker} parks the task for a message`, world: listens }];
}

/** Ends a wait: the run is in the queue, by the same script. */
function woken(world: World, rules: Rules): World {
  const next: World = { ...vacated(world), parked: 'no' };
  return rules.lacks('a wake asks for no run, and no sweep') ? next : withJob(next, next.fence);
}

function theLapseOfTime(world: World, rules: Rules): readonly Happening[] {
  const wait =
    world.parked === 'no' || rules.lacks('nothing ends a wait')
      ? []
      : [{ what: 'the wait ends', world: woken(world, rules) }];
  const lease = world.isLeaseLive ? [{ what: 'the lease ends', world: { ...world, isLeaseLive: false } }] : [];
  const grace: readonly Happening[] =
    world.cancel === 'asked' ? [{ what: 'the grace ends', world: { ...world, cancel: 'overdue' } }] : [];
  return [...lease, ...grace, ...wait];
}

function callers(world: World, rules: Rules): readonly Happening[] {
  if (isEnded(world.state)) return [];
  const canceled: World = world.isLeaseLive
    ? { ...world, cancel: world.cancel === 'none' ? 'asked' : world.cancel }
    : finished(event(world, 'canceled', 0), 'told');
  const cancel: Happening = { what: 'the caller cancels', byCaller: true, world: canceled };
  const room = world.accepted < MAX_MESSAGES;
  return room
    ? [cancel, { what: 'the caller sends a message', byCaller: true, world: resumed(world, rules) }]
    : [cancel];
}

function resumed(world: World, rules: Rules): World {
  const got = { ...world, accepted: world.accepted + 1, later: world.later + 1 };
  if (world.parked === 'message') return woken(got, rules);
  if (world.state !== 'waiting') return got;
  const begun = event({ ...got, attempts: 0 }, 'working', 0);
  if (rules.lacks('resume without a wish, and no sweep')) return begun;
  const wished = vacated(begun);
  return { ...wished, toAdd: wished.fence };
}

function sweeping(world: World, rules: Rules): readonly Happening[] {
  if (world.verdict !== undefined) {
    const { fence, as } = world.verdict;
    const acted = { ...world, verdict: undefined };
    return [
      { what: 'the sweep does what it saw fit', world: settled(acted, fence, as, rules) },
      { what: 'the sweep dies', world: acted },
    ];
  }
  const { world: seen, what } = look(world, rules);
  return what === 'nothing' ? [] : [{ what: `the sweep sees ${what}`, world: seen }];
}

function look(world: World, rules: Rules): { readonly what: string; readonly world: World } {
  const { state, fence, holder, isLeaseLive, cancel, attempts } = world;
  const seen = (as: State): World => ({ ...world, verdict: { fence, as } });
  if (isEnded(state)) return { what: 'nothing', world };
  // The caller may be slower than its time: then the task ends unanswered.
  if (state === 'waiting') return { what: 'a silent caller', world: seen('ended') };
  if (cancel === 'overdue' || (cancel === 'asked' && !isLeaseLive))
    return { what: 'a cancel', world: seen('canceled') };
  if (isLeaseLive) return { what: 'nothing', world };
  // wake.lua ends its wait, and the sweep has no other business with it.
  if (world.parked !== 'no' && !rules.lacks('a parked task is claimed')) return { what: 'nothing', world };
  if (holder === 0) return { what: 'a missing job', world: withJob(world, fence) };
  if (attempts >= MAX_ATTEMPTS) return { what: 'spent attempts', world: seen('ended') };
  const next = rules.lacks('a lost run keeps its fence') ? { ...world, holder: 0 } : vacated(world);
  return { what: 'a lost run', world: withJob(next, next.fence) };
}

/** The end of a task from outside of its run. */
function settled(world: World, fence: number, as: State, rules: Rules): World {
  if (rules.lacks('settling what has moved')) return finished(event(world, as, 0), 'told');
  if (world.fence !== fence || isEnded(world.state)) return world;
  return finished(event(world, as, 0), 'told');
}

/** `told`: the end itself is the answer to whatever still stood in line. */
function finished(world: World, how: 'told' | 'silent'): World {
  const { fence, accepted, answered, taken, later } = world;
  const told = how === 'told' ? answered + taken + later : answered;
  const ended: World = {
    ...world,
    holder: 0,
    isLeaseLive: false,
    cancel: 'none',
    parked: 'no',
    fence: fence + 1,
    taken: 0,
    later: 0,
  };
  return told < accepted
    ? { ...ended, answered: told, fault: 'an accepted message was dropped' }
    : { ...ended, answered: told };
}

/** Appends one event; `writer` is the fence of the run that writes it, 0 for everybody else. */
function event(world: World, state: State, writer: number): World {
  if (isEnded(world.state)) return { ...world, state, fault: 'an event after the end' };
  if (writer !== 0 && writer !== world.fence) return { ...world, state, fault: 'a write of a run that was replaced' };
  const twins = world.workers.filter((fence) => fence === writer && writer !== 0).length;
  if (twins > 1) return { ...world, state, fault: 'two workers write for one run' };
  if (state === 'ended' && world.cancel !== 'none' && writer !== 0)
    return { ...world, state, fault: 'an end after a cancel' };
  return { ...world, state };
}

function holds(world: World, fence: number, rules: Rules): boolean {
  if (isEnded(world.state) && !rules.lacks('no terminal guard')) return false;
  if (rules.lacks('no fencing', 'no terminal guard')) return true;
  return world.holder === fence;
}

function isEnded(state: State): boolean {
  return state === 'ended' || state === 'canceled';
}

function vacated(world: World): World {
  return { ...world, holder: 0, isLeaseLive: false, fence: world.fence + 1 };
}

function withJob(world: World, fence: number): World {
  return world.jobs.includes(fence)
    ? world
    : { ...world, jobs: [...world.jobs, fence].sort((a, b) => a - b).slice(-2) };
}

function withWorker(world: World, worker: 0 | 1, fence: number): World {
  return { ...world, workers: worker === 0 ? [fence, world.workers[1]] : [world.workers[0], fence] };
}
