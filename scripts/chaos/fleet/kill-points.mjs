// Named points at which a process of the chaos proof kills itself, put into the built service from outside: the service
// knows nothing of them. CHAOS_KILL_AT is '<point> <n>': the process dies at one of its first n passes, by chance.
import { RemoteCalls } from '../../../dist/remote-agents/mirror/remote-calls.js';
import { ActiveRuns } from '../../../dist/runs/keeper/active-runs.js';
import { RunFeeder } from '../../../dist/runs/worker/run-feeder.js';
import { SkillRunner } from '../../../dist/runs/worker/skill-runner.js';
import { RunNotebook } from '../../../dist/tasks/commit/run-notebook.js';
import { MirrorStore } from '../../../dist/tasks/tree/mirror.store.js';
import { QuestionStore } from '../../../dist/tasks/questions/question.store.js';
import { TaskStore } from '../../../dist/tasks/store/task.store.js';
import { CancelCascade } from '../../../dist/tasks/tree/cancel-cascade.js';
import { TreeStore } from '../../../dist/tasks/tree/tree.store.js';
import { RunStore } from '../../../dist/tasks/commit/run.store.js';
import { SweepStore } from '../../../dist/tasks/store/sweep.store.js';

/** Calls `before` with the arguments of a method and `after` with its result as well. */
function wrap(type, method, { before = () => undefined, after = () => undefined }) {
  const original = type.prototype[method];
  type.prototype[method] = function (...args) {
    before(...args);
    const outcome = original.apply(this, args);
    if (outcome instanceof Promise) outcome.then((value) => after(value, ...args)).catch(() => undefined);
    return outcome;
  };
}

const POINTS = {
  // Between take and run: the run is claimed, and nothing of it has begun.
  taken: (die) => wrap(SkillRunner, 'run', { before: () => die() }),
  // The end is stored, and nothing has followed from it in this process.
  ended: (die) =>
    wrap(RunStore, 'commit', { after: ({ kind }, run) => kind === 'committed' && run.log.current.hasEnded && die() }),
  'before-park': (die) => wrap(RunStore, 'park', { before: () => die() }),
  'after-park': (die) => wrap(RunStore, 'park', { after: (outcome) => outcome === 'parked' && die() }),
  // The run that follows a wait is claimed.
  'at-wake': (die) => wrap(SkillRunner, 'run', { before: ({ repeats }) => repeats !== undefined && die() }),
  'before-spawn': (die) => wrap(TreeStore, 'spawn', { before: () => die() }),
  // The children are stored, and no worker was woken for them.
  'after-spawn': (die) => wrap(TreeStore, 'spawn', { after: ({ kind }) => kind === 'spawned' && die() }),
  // The work of a step is done, and its result is not stored: the one window in which it is done again.
  'before-note': (die) => wrap(RunNotebook, 'noteStep', { before: () => die() }),
  // The result of a step is stored, and the skill does not know.
  'after-note': (die) => wrap(RunNotebook, 'noteStep', { after: () => die() }),
  // The end of a child is stored, and its parent is in the queue.
  'child-ended': (die) =>
    wrap(RunStore, 'commit', {
      after: ({ kind }, run) =>
        kind === 'committed' && run.log.current.hasEnded && run.traits.tree !== undefined && die(),
    }),
  // A parent stays awake for children that run in its process.
  awake: (die) => wrap(RunFeeder, 'whenFull', { before: () => die() }),
  // The end of a child is stored, and its parent, awake in the same process, does not know.
  told: (die) => wrap(ActiveRuns, 'tell', { before: () => die() }),
  // A question is stored, and its root does not show it.
  'before-show': (die) => wrap(QuestionStore, 'show', { before: () => die() }),
  // An answer is stored, and no worker was woken for it.
  answered: (die) => wrap(TaskStore, 'resume', { after: ({ kind }) => kind === 'answered' && die() }),
  // A call of another service is noted as sent, and no request has left.
  'before-post': (die) => wrap(RemoteCalls, 'send', { before: () => die() }),
  // The other service has answered, and which task it has begun is not stored.
  posted: (die) => wrap(RemoteCalls, 'send', { after: () => die() }),
  // A callback has come, and the mirror does not know.
  'called-back': (die) => wrap(MirrorStore, 'hint', { before: () => die() }),
  // A cancel is stored, and has reached no child.
  canceled: (die) =>
    wrap(TaskStore, 'cancel', { after: ({ kind }) => (kind === 'canceled' || kind === 'requested') && die() }),
  // The sweep continues a cancel that has not reached all children.
  cascading: (die) => wrap(CancelCascade, 'cancelBelow', { before: () => die() }),
  // The child that undoes a piece of work is stored, and no worker was woken for it.
  undoing: (die) =>
    wrap(TreeStore, 'spawn', { after: ({ kind }, run) => kind === 'spawned' && run.ending !== undefined && die() }),
  // A piece of work is undone, and the run that undoes the next one is claimed.
  undone: (die) =>
    wrap(SkillRunner, 'run', {
      before: ({ ending, repeats }) => ending !== undefined && repeats !== undefined && die(),
    }),
  // The sweep has ended waits, and no worker was woken.
  swept: (die) => wrap(SweepStore, 'wake', { after: ({ woken }) => woken > 0 && die() }),
};

export function installKillPoint(text) {
  const [name, most] = text.split(' ');
  let left = 1 + Math.floor(Math.random() * Number(most));
  POINTS[name](() => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  });
}
