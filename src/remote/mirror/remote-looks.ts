import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { LookPace } from './look-pace.js';
import { LOGIN_MS } from './poll-schedule.js';
import type { Look, RemoteCalls, RemoteEnd, Sent } from './remote-calls.js';

/** A task that another agent has begun. */
export type RemoteBegun = Extract<Sent, { kind: 'task' }>;

/** What an agent asks for. */
export type RemoteAsks = Extract<Look, { kind: 'asks' }>;

/** The journal has the words of a question once. */
const SAME = { kind: 'same' } as const;

/** The looks of one turn at the task of another agent. */
export class RemoteLooks {
  private count = 0;
  /** The end that a look of this run has seen. */
  private seen: RemoteEnd | undefined;

  /** @param task the agent may give a message another task than that which it was for */
  constructor(
    private readonly context: SkillContext,
    private readonly calls: RemoteCalls,
    public task: RemoteBegun,
  ) {}

  next(): Promise<Look> {
    return this.look((look) => look);
  }

  /**
   * Looks until the agent asks for this no longer, with other words or for something else, and resolves with that look.
   * @param isOver nobody waits for it any more
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

  /** The end is no part of a step: its artifacts may be large, and an ended task does not change any more. A later run reads it again. */
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
