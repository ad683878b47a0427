import { Inject, Injectable } from '@nestjs/common';
import { taskNotFound } from '@parley/protocol/model/errors.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { foldTask } from '@parley/protocol/model/fold-task.js';
import { Json } from '@parley/protocol/model/json.js';
import type { SendMessageRequest, SendMessageResponse } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isSettled } from '@parley/protocol/model/task-state.js';
import type { Following } from '../tasks/feed/task-feeds.js';
import { TaskStreams } from '../tasks/feed/task-streams.js';
import { type EventName, WATCH_MS } from '../tasks/commit/event-log.js';
import type { Snapshot } from '../tasks/record/snapshot.js';
import { TaskStore } from '../tasks/store/task.store.js';
import type { Call } from './call.js';
import { MessageIntake } from './send/message-intake.js';
import type { Intake } from './send/task-beginning.js';
import type { Operation } from './operation.js';
import { OperationOptions } from './operation.options.js';

/** The events of a task since its creation. */
type Events = readonly Json<StreamResponse>[];

/** SendMessage (A2A 1.0 §3.1.1): waits until the task ends or asks a question, unless `returnImmediately` is set. */
@Injectable()
export class SendMessageOperation implements Operation<'SendMessage'> {
  constructor(
    private readonly intake: MessageIntake,
    private readonly store: TaskStore,
    private readonly streams: TaskStreams,
    @Inject(OperationOptions) private readonly options: OperationOptions,
  ) {}

  async execute(request: SendMessageRequest, call: Call): Promise<Json<SendMessageResponse>> {
    const longest = this.longestWait(request, call);
    const intake = await this.intake.take(request, call, longest > 0);
    if ('answer' in intake) return Json.of<SendMessageResponse>({ message: intake.answer });
    const { historyLength } = request.configuration ?? {};
    const { following } = intake;
    try {
      const events = longest > 0 ? following && (await this.settled(intake, following, call, longest)) : [];
      const built = events && builtFromEvents(intake, following, events, historyLength);
      return answer(built ?? (await this.read(intake.taskId, call, historyLength)).task);
    } finally {
      following?.close();
    }
  }

  /** Milliseconds that the call may wait for its task. */
  private longestWait({ configuration }: SendMessageRequest, { legacy, waitMs }: Call): number {
    if (legacy?.waitsBriefly === true) return this.options.briefWaitMs;
    return configuration?.returnImmediately === true ? 0 : (waitMs ?? this.options.blockingMs);
  }

  /** The events that settled the task; undefined when some are unknown. */
  private async settled(
    intake: Intake,
    following: Following,
    call: Call,
    longest: number,
  ): Promise<Events | undefined> {
    if (intake.created?.rejected === true) return [];
    // Its status asks already, and no event need precede the next answer.
    if (intake.asks === true) return undefined;
    const { taskId } = intake;
    const after = { seq: intake.seq, nonce: intake.created?.nonce ?? '' };
    const start = { owner: call.owner, taskId, after, longest };
    if (!intake.repeated) return this.wait(following, start, call);
    const now = await this.read(taskId, call, 0, true);
    if (!isSettled(now.state)) await this.wait(following, { ...start, after: now }, call);
    return undefined;
  }

  /**
   * Ends when the task settles, after `BLOCKING_MS`, or when the caller disconnects; the task continues (A2A-BLK-02,
   * -03).
   */
  private async wait(
    following: Following,
    start: { owner: string; taskId: string; after: EventName; longest: number },
    call: Call,
  ): Promise<Events | undefined> {
    const end = (): void => {
      following.follower.end();
    };
    const cap = setTimeout(end, start.longest);
    const unwatch = call.presence.whenGone(end);
    try {
      return await this.streams.settled(following, start);
    } finally {
      clearTimeout(cap);
      unwatch();
    }
  }

  private async read(taskId: string, call: Call, historyLength: number | undefined, watch = false): Promise<Snapshot> {
    const snapshot = await this.store.read(call.owner, taskId, {
      historyLength,
      room: call.room,
      ...(watch ? { watchMs: WATCH_MS } : {}),
    });
    if (snapshot === undefined) throw taskNotFound();
    return snapshot;
  }
}

/**
 * The task built from its events for the caller that created it, without another read. Undefined if a read is needed:
 * after a change that is not an event, or for a part of the history.
 */
function builtFromEvents(
  { created }: Intake,
  following: Following | undefined,
  events: Events,
  historyLength: number | undefined,
): Json<Task> | undefined {
  if (created === undefined || historyLength !== undefined || following?.tellsAll() === false) return undefined;
  if (events.length === 0) return created.task;
  return folded(created.task, events);
}

function folded(task: Json<Task>, events: Events): Json<Task> {
  const values = events.map(({ value }) => value);
  return Json.of(foldTask(task.value, values));
}

function answer(task: Json<Task>): Json<SendMessageResponse> {
  return Json.within('{"task":', task, '}');
}
