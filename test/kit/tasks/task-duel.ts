import fc from 'fast-check';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import type { ClaimedRun } from '../../../src/tasks/commit/run.store.js';
import type { Evaluation } from '../../../src/tasks/store/sweep.store.js';
import { violations } from '../checks/invariants.js';
import { type ModelWrite, TaskModel } from './task-model.js';
import { aMessage, anAnswer, asking, done, OWNER, piece, progress, type TaskStores } from './task-stores.js';

const HOUR_MS = 3_600_000;

/** One thing that happens. Numbers choose among the tasks, runs and verdicts that there are by then. */
export type Step =
  | { readonly do: 'create'; readonly message: number; readonly body: string }
  | { readonly do: 'claim'; readonly task: number; readonly behind: number }
  | { readonly do: 'commit'; readonly run: number; readonly batch: number; readonly again: boolean }
  | { readonly do: 'forge'; readonly run: number; readonly batch: number }
  | { readonly do: 'heartbeat' | 'note'; readonly run: number }
  | {
      readonly do: 'release';
      readonly run: number;
      readonly how: 'handed-over' | 'broken';
      readonly isDelayed: boolean;
    }
  | {
      readonly do: 'park';
      readonly run: number;
      readonly batch: number;
      readonly isListening: boolean;
      readonly isProgress: boolean;
      readonly again: boolean;
    }
  | { readonly do: 'wake' }
  | { readonly do: 'cancel'; readonly task: number; readonly isOwner: boolean }
  | { readonly do: 'resume'; readonly task: number; readonly message: number; readonly body: string }
  | {
      readonly do: 'evaluate' | 'wait-over' | 'lease-over' | 'grace-over' | 'time-over' | 'purge';
      readonly task: number;
    }
  | { readonly do: 'settle'; readonly verdict: number };

const message = { messageId: 'said', role: 'ROLE_AGENT' as const, parts: [{ text: 'so far' }] };
const failed: ModelWrite = { kind: 'status', state: 'TASK_STATE_FAILED', message };
const BATCHES: readonly (readonly ModelWrite[])[] = [
  ...[
    [progress],
    [{ ...progress, message }],
    [piece('a', 'x')],
    [piece('a', 'y', true)],
    [piece('b', 'z'), piece('b', 'z', true)],
  ],
  ...[[{ ...asking, message }], [done], [piece('a', 'x'), done], [progress, asking], [failed], [done, progress]],
];

/** What a run yields before it waits. */
const PARKED_WITH: readonly (readonly ModelWrite[])[] = [[], [progress], [progress, { ...progress, message }]];

const small = fc.nat({ max: 5 });
const body = fc.constantFrom('h1', 'h2');
const batch = fc.nat({ max: BATCHES.length - 1 });
const what = <const W extends string>(word: W): fc.Arbitrary<W> => fc.constant(word);

/** A random life of a few tasks: mostly what happens every day, with all the accidents in between. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: what('create'), message: fc.nat({ max: 1 }), body }) },
    { weight: 8, arbitrary: fc.record({ do: what('claim'), task: small, behind: fc.constantFrom(0, 0, 0, 1) }) },
    {
      weight: 10,
      arbitrary: fc.record({ do: what('commit'), run: small, batch, again: fc.constantFrom(false, false, true) }),
    },
    { weight: 1, arbitrary: fc.record({ do: what('forge'), run: small, batch }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('heartbeat', 'note'), run: small }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: what('release'),
        run: small,
        how: fc.constantFrom('handed-over', 'broken'),
        isDelayed: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        ...{ do: what('park'), run: small, batch: fc.nat({ max: PARKED_WITH.length - 1 }) },
        ...{ isListening: fc.boolean(), isProgress: fc.boolean(), again: fc.constantFrom(false, false, true) },
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: what('wake') }) },
    { weight: 2, arbitrary: fc.record({ do: what('wait-over'), task: small }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: what('cancel'), task: small, isOwner: fc.constantFrom(true, true, false) }),
    },
    { weight: 5, arbitrary: fc.record({ do: what('resume'), task: small, message: fc.nat({ max: 3 }), body }) },
    { weight: 4, arbitrary: fc.record({ do: what('evaluate'), task: small }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('lease-over', 'grace-over', 'time-over'), task: small }) },
    { weight: 1, arbitrary: fc.record({ do: what('purge'), task: small }) },
    { weight: 4, arbitrary: fc.record({ do: what('settle'), verdict: fc.nat({ max: 2 }) }) },
  ),
  { minLength: 20, maxLength: 80, size: 'max' },
);

interface HeldRun {
  readonly task: string;
  readonly run: ClaimedRun;
  seq: number;
  lastAfter: number;
  lastBatch: number;
  isParked: boolean;
  isReleased: boolean;
  /** As it was parked last. */
  park:
    | {
        readonly after: number;
        readonly writes: readonly ModelWrite[];
        readonly isListening: boolean;
        readonly isProgress: boolean;
      }
    | undefined;
}

/** Plays the same life on the real scripts and on the model, and throws where they differ. */
export class TaskDuel {
  private readonly model: TaskModel;
  private readonly ids = new Map<string, string>();
  private readonly bodies = new Map<string, string>();
  private readonly runs: HeldRun[] = [];
  private readonly verdicts: { readonly task: string; readonly verdict: Extract<Evaluation, { kind: 'end' }> }[] = [];

  constructor(private readonly stores: TaskStores) {
    this.model = new TaskModel(stores.options.maxAttempts);
  }

  async play(life: readonly Step[]): Promise<void> {
    for (const step of life) await this.step(step).catch(different);
    await this.rest().catch(different);
  }

  private async rest(): Promise<void> {
    await this.compareTasks();
    await this.settleDown();
    await this.compareTasks();
    same('invariants', await violations(this.stores), []);
  }

  private async step(step: Step): Promise<void> {
    if (step.do === 'create') return this.create(`m${step.message}`, step.body);
    if (step.do === 'wake') return this.wake();
    if (step.do === 'settle') return this.settle(pick(this.verdicts, step.verdict));
    if ('run' in step) {
      const held = pick(this.runs, step.run);
      return held === undefined ? undefined : this.runStep(step, held);
    }
    const task = pick([...this.ids.keys()], step.task);
    if (task !== undefined) await this.taskStep(step, task);
  }

  private async create(name: string, body: string): Promise<void> {
    const outcome = await this.stores.create({ message: aMessage({ messageId: name }), requestHash: body });
    const sentBody = this.bodies.get(name);
    if (sentBody !== undefined && this.model.names.includes(name)) {
      const expected = sentBody === body ? { kind: 'sent', taskId: this.ids.get(name) } : { kind: 'conflict' };
      same('create', outcome, expected);
      return;
    }
    same('create', outcome.kind, 'created');
    this.model.create(name);
    this.bodies.set(name, body);
    if (outcome.kind === 'created') this.ids.set(name, outcome.taskId);
  }

  private async runStep(step: Extract<Step, { readonly run: number }>, held: HeldRun): Promise<void> {
    const hold = { task: held.task, fence: held.run.fence, nonce: held.run.nonce };
    switch (step.do) {
      case 'commit': {
        if (!step.again) Object.assign(held, { lastAfter: held.seq, lastBatch: step.batch });
        const writes = BATCHES[held.lastBatch] ?? [];
        const outcome = await this.commit(held.run, held.lastAfter, writes);
        same('commit', outcome, this.model.commit(hold, held.lastAfter, writes));
        if (outcome.kind === 'committed') held.seq = outcome.seq as number;
        // The turn is over, its events but the last word among what was committed.
        if (outcome.kind === 'next-turn') held.seq = held.lastAfter + writes.length;
        return;
      }
      case 'forge': {
        const writes = BATCHES[step.batch] ?? [];
        same('forged commit', await this.commit({ ...held.run, nonce: 'forged' }, held.seq, writes), { kind: 'lost' });
        return;
      }
      case 'heartbeat':
        same('heartbeat', await this.stores.heartbeat(held.run), this.model.heartbeat(hold));
        return;
      case 'note':
        same('note', await this.stores.runs.notebook.noteStep(held.run, 'step', '1'), this.model.note(hold));
        return;
      case 'release':
        same(
          'release',
          await this.stores.runs.release(held.run, step.how, step.isDelayed ? HOUR_MS : 0),
          this.model.release(hold, step.how, step.isDelayed),
        );
        held.isReleased = true;
        return;
      case 'park': {
        // A run ends once: it parks its task or gives it back.
        if (held.isReleased) return;
        const { isListening, isProgress } = step;
        const park = { after: held.seq, writes: PARKED_WITH[step.batch] ?? [], isListening, isProgress };
        // A run that has parked its task can only send that again.
        return this.park(held, step.again || held.isParked ? (held.park ?? park) : park);
      }
    }
  }

  private async park(held: HeldRun, park: NonNullable<HeldRun['park']>): Promise<void> {
    const { run, task } = held;
    const { after, writes, isListening, isProgress } = park;
    const wait = { until: Date.now() + HOUR_MS, signals: isListening ? ['*'] : [], known: 0 };
    const notes = { entries: isProgress ? [[`${run.turn}#1`, '{}'] as const] : [], read: [] };
    const outcome = await this.stores.runs.park(run, after, { writes, wait, notes });
    const hold = { task, fence: run.fence, nonce: run.nonce };
    same('park', outcome, this.model.park(hold, after, { writes, isListening, isProgress }));
    held.park = park;
    // From here on nothing that was committed before is sent again.
    if (outcome !== 'parked') return;
    held.isParked = true;
    held.lastAfter = held.seq = after + writes.length;
  }

  private async wake(): Promise<void> {
    const { woken } = await this.stores.sweeps.wake(100);
    same('wake', woken, this.model.wake());
    same('woken runs in the fair queue', (await this.stores.queue.waiting()) >= woken, true);
  }

  private async waitOver(task: string): Promise<void> {
    if (!this.model.names.includes(task) || !this.model.isParked(task)) return;
    await this.stores.expireTime(this.ids.get(task) ?? '');
    this.model.expireTime(task);
  }

  private async commit(
    run: ClaimedRun,
    after: number,
    writes: readonly ModelWrite[],
  ): Promise<Record<string, unknown>> {
    try {
      return { ...(await this.stores.runs.commit(run, after, writes)) };
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'refused' };
      throw error;
    }
  }

  private async taskStep(step: Extract<Step, { readonly task: number }>, task: string): Promise<void> {
    const id = this.ids.get(task) ?? '';
    const exists = this.model.names.includes(task);
    switch (step.do) {
      case 'claim':
        return this.claim(task, exists ? this.model.fenceOf(task) - step.behind : 1);
      case 'cancel': {
        const owner = step.isOwner ? OWNER : 'default/client:stranger';
        same('cancel', await this.stores.tasks.cancel(owner, id), this.model.cancel(task, step.isOwner));
        return;
      }
      case 'resume': {
        const answer = anAnswer(id, { messageId: `a${step.message}` });
        const outcome = await this.stores.tasks.resume(OWNER, answer, step.body);
        same('resume', outcome, this.model.resume(task, answer.messageId, step.body));
        return;
      }
      case 'evaluate':
        return this.evaluate(task);
      case 'purge':
        same('purge', await this.stores.sweeps.purge(id, 'finished'), this.model.purge(task));
        return;
      case 'wait-over':
        return this.waitOver(task);
      case 'lease-over':
        return exists ? this.leaseOver(task) : undefined;
      case 'grace-over':
        return exists ? this.graceOver(task) : undefined;
      case 'time-over':
        return exists ? this.timeOver(task) : undefined;
    }
  }

  private async claim(task: string, fence: number): Promise<void> {
    const outcome = await this.stores.runs.claim(this.ids.get(task) ?? '', fence, 'worker');
    const nonce = outcome.kind === 'claimed' ? outcome.run.nonce : 'none';
    same('claim', outcome.kind, this.model.claim(task, fence, nonce));
    if (outcome.kind !== 'claimed') return;
    const { run } = outcome;
    same('messages of the run', run.messages.length, this.model.waitingMessages(task));
    this.runs.unshift({
      task,
      run,
      seq: run.seq,
      lastAfter: run.seq,
      lastBatch: 0,
      park: undefined,
      isParked: false,
      isReleased: false,
    });
  }

  private async evaluate(task: string): Promise<void> {
    const verdict = await this.stores.sweeps.evaluate(this.ids.get(task) ?? '');
    same('evaluate', verdict, this.model.evaluate(task));
    if (verdict.kind === 'end') this.verdicts.unshift({ task, verdict });
  }

  private async settle(found: (typeof this.verdicts)[number] | undefined): Promise<void> {
    if (found === undefined) return;
    const { task, verdict } = found;
    const state: TaskState = verdict.why === 'CANCEL_OVERDUE' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_FAILED';
    const settled = await this.stores.sweeps.settle(this.ids.get(task) ?? '', verdict.fence, state);
    same('settle', settled === 'settled', this.model.settle(task, verdict.fence, state));
  }

  private async leaseOver(task: string): Promise<void> {
    if (!this.model.isHeld(task)) return;
    await this.stores.expireLease(this.ids.get(task) ?? '');
    this.model.expireLease(task);
  }

  private async graceOver(task: string): Promise<void> {
    if (!this.model.isCancelAsked(task)) return;
    await this.stores.expireCancelGrace(this.ids.get(task) ?? '');
    this.model.expireGrace(task);
  }

  private async timeOver(task: string): Promise<void> {
    if (this.model.isBusy(task)) return;
    await this.stores.expireTime(this.ids.get(task) ?? '');
    this.model.expireTime(task);
  }

  /** All workers are lost, all jobs too: whatever has happened, sweep and fresh workers bring every task to rest. */
  private async settleDown(): Promise<void> {
    for (let round = 0; round < 8; round += 1) {
      for (const task of this.model.names.filter((name) => this.model.isOpen(name))) {
        await this.leaseOver(task);
        await this.graceOver(task);
        await this.timeOver(task);
        await this.waitOver(task);
        await this.wake();
        await this.evaluate(task);
        await this.settle(this.verdicts[0]?.task === task ? this.verdicts[0] : undefined);
        if (this.model.isOpen(task)) await this.finish(task);
      }
    }
    same(
      'tasks that never come to rest',
      this.model.names.filter((name) => this.model.isOpen(name)),
      [],
    );
  }

  private async finish(task: string): Promise<void> {
    await this.claim(task, this.model.fenceOf(task));
    const held = this.runs[0];
    if (held?.task !== task) return;
    const batch = BATCHES.findIndex((writes) => writes.length === 1 && writes[0] === done);
    await this.runStep({ do: 'commit', run: 0, batch, again: false }, held);
  }

  private async compareTasks(): Promise<void> {
    for (const name of this.model.names) {
      const id = this.ids.get(name) ?? '';
      const task = await this.stores.task(id);
      const { fence, attempt: attempts, turn } = await this.stores.word(id);
      const artifacts = Object.fromEntries(
        (task.artifacts ?? []).map((it) => [it.artifactId, it.parts.map((part) => JSON.stringify([part]))]),
      );
      const seq = (await this.stores.events(id)).length;
      same(
        `task ${name}`,
        {
          state: task.status.state,
          seq,
          fence,
          attempts,
          turn,
          said: task.history?.length,
          artifacts,
        },
        this.model.facts(name),
      );
    }
  }
}

function pick<T>(from: readonly T[], number: number): T | undefined {
  return from[number % Math.max(1, from.length)];
}

/** The scripts and the model have come apart. */
class Difference extends Error {}

/** A script that breaks, or a reply that the stores cannot read, is a difference, too. */
function different(error: unknown): never {
  if (error instanceof Difference) throw error;
  throw new Difference(`a step: the scripts say ${String(error)}, the model goes on`, { cause: error });
}

function same(what: string, real: unknown, model: unknown): void {
  const [is, should] = [sorted(real), sorted(model)];
  if (is !== should) throw new Difference(`${what}: the scripts say ${is}, the model ${should}`);
}

function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return value === undefined ? 'undefined' : JSON.stringify(value);
  // The model knows nothing of positions in the fair queue, which decide when a run begins and never whether, and of the
  // counter of changes that replicas confirm: see violations().
  const known = Object.entries(value).filter(([key]) => key !== 'position' && key !== 'rev');
  const entries = known.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(entries.map(([key, member]) => [key, typeof member === 'object' ? sorted(member) : member])),
  );
}

/** Random lives of a task: each is played against the scripts of a store and against the model. */
export function lives(fresh: () => TaskStores): fc.IAsyncPropertyWithHooks<[readonly Step[]]> {
  return fc.asyncProperty(steps, (life) => new TaskDuel(fresh()).play(life));
}
