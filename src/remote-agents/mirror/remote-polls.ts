import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { PollPace } from './poll-pace.js';
import { LOGIN_MS } from './poll-schedule.js';
import type { Poll, RemoteCalls, RemoteEnd, Sent } from './remote-calls.js';

/** A task that another agent has begun. */
export type RemoteBegun = Extract<Sent, { kind: 'task' }>;

/** A request of an agent for input or a login. */
export type RemoteAsks = Extract<Poll, { kind: 'asks' }>;

/** Keeps the words of a question only once in the journal. */
const SAME = { kind: 'same' } as const;

/** The polls of one turn at the task of another agent. */
export class RemotePolls {
  private count = 0;
  /** The end seen by a poll of this run. */
  private seen: RemoteEnd | undefined;

  /** @param task the agent may assign a message to another task than the addressed one */
  constructor(
    private readonly context: SkillContext,
    private readonly calls: RemoteCalls,
    public task: RemoteBegun,
  ) {}

  next(): Promise<Poll> {
    return this.poll((poll) => poll);
  }

  /**
   * Polls until the agent no longer asks the same question, and resolves with that poll.
   * @param hasEnded whether the wait has ended
   */
  async after(asked: RemoteAsks, hasEnded: () => boolean): Promise<Poll> {
    const pace = new PollPace(this.context, this.task.push === true, LOGIN_MS);
    for (let downMs: number | undefined; ;) {
      await pace.wait(await this.context.now(), downMs);
      if (hasEnded()) return asked;
      const poll = await this.poll((seen) => (isSame(seen, asked) ? SAME : seen));
      if (poll.kind !== 'same' && poll.kind !== 'down') return poll;
      downMs = poll.kind === 'down' ? poll.afterMs : undefined;
    }
  }

  /** Not part of a step: the artifacts may be large, and an ended task does not change. A later run reads it again. */
  async end(): Promise<RemoteEnd> {
    return this.seen ?? this.calls.end(this.task.taskId);
  }

  private poll<Kept>(keep: (poll: Poll) => Kept): Promise<Kept> {
    const name = `look ${String(this.count++)}`;
    return this.context.step(name, async () =>
      keep(await this.calls.poll(this.task.taskId, (end) => (this.seen = end))),
    );
  }
}

function isSame(poll: Poll, { state, parts }: RemoteAsks): boolean {
  return poll.kind === 'asks' && poll.state === state && JSON.stringify(poll.parts) === JSON.stringify(parts);
}
