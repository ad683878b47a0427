import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { LookPace } from './look-pace.js';
import { LOGIN_MS } from './poll-schedule.js';
import type { Look, RemoteCalls, RemoteEnd, Sent } from './remote-calls.js';

/** A task that another agent has begun. */
export type RemoteBegun = Extract<Sent, { kind: 'task' }>;

/** A request of an agent for input or a login. */
export type RemoteAsks = Extract<Look, { kind: 'asks' }>;

/** Keeps the words of a question only once in the journal. */
const SAME = { kind: 'same' } as const;

/** The polls of one turn at the task of another agent. */
export class RemoteLooks {
  private count = 0;
  /** The end seen by a poll of this run. */
  private seen: RemoteEnd | undefined;

  /** @param task the agent may assign a message to another task than the addressed one */
  constructor(
    private readonly context: SkillContext,
    private readonly calls: RemoteCalls,
    public task: RemoteBegun,
  ) {}

  next(): Promise<Look> {
    return this.look((look) => look);
  }

  /**
   * Polls until the agent no longer asks the same question, and resolves with that poll.
   * @param isOver whether the wait has ended
   */
  async after(asked: RemoteAsks, isOver: () => boolean): Promise<Look> {
    const pace = new LookPace(this.context, this.task.push === true, LOGIN_MS);
    for (let downMs: number | undefined; ;) {
      await pace.wait(await this.context.now(), downMs);
      if (isOver()) return asked;
      const look = await this.look((seen) => (isSame(seen, asked) ? SAME : seen));
      if (look.kind !== 'same' && look.kind !== 'down') return look;
      downMs = look.kind === 'down' ? look.afterMs : undefined;
    }
  }

  /** Not part of a step: the artifacts may be large, and an ended task does not change. A later run reads it again. */
  async end(): Promise<RemoteEnd> {
    return this.seen ?? this.calls.end(this.task.taskId);
  }

  private look<Kept>(keep: (look: Look) => Kept): Promise<Kept> {
    const name = `look ${String(this.count++)}`;
    return this.context.step(name, async () =>
      keep(await this.calls.look(this.task.taskId, (end) => (this.seen = end))),
    );
  }
}

function isSame(look: Look, { state, parts }: RemoteAsks): boolean {
  return look.kind === 'asks' && look.state === state && JSON.stringify(look.parts) === JSON.stringify(parts);
}
