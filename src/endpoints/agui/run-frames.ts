import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { StreamedEvent } from '../../operations/operation.js';
import type { RunEncoder } from './run-encoder.js';

/** The frames of one event; the id is that of the last one. */
interface FrameGroup {
  readonly id?: string;
  readonly event: readonly string[];
}

type TaskEvents = AsyncIterator<StreamedEvent<'SendStreamingMessage' | 'SubscribeToTask'>, void, void>;

/**
 * The events of a task as groups of frames, up to its first end or wait. Not a generator, whose frame would stay in
 * memory while the stream is open.
 */
export class RunFrames implements AsyncIterator<FrameGroup, void, void> {
  /** @param ending reads result and usage of the completed task; absent where the run has none */
  constructor(
    private readonly events: TaskEvents,
    private readonly encoder: RunEncoder,
    private readonly ending?: (taskId: string) => Promise<JsonObject>,
  ) {}

  async next(): Promise<IteratorResult<FrameGroup, void>> {
    if (this.encoder.isOver) return this.return();
    const next = await this.events.next();
    if (next.done === true) return next;
    const { id, event } = next.value;
    const completed = this.ending === undefined ? undefined : completedIn(event.value);
    const end = completed === undefined ? undefined : await this.ending?.(completed);
    const frames = this.encoder.encode(event.value, id, end);
    return { done: false, value: { event: frames, ...(id === undefined ? {} : { id: this.encoder.idOf(id) }) } };
  }

  async return(): Promise<IteratorReturnResult<void>> {
    await this.events.return?.();
    return { done: true, value: undefined };
  }
}

/** The task that an event completes. */
function completedIn(event: StreamResponse): string | undefined {
  const task = 'task' in event ? event.task : undefined;
  const { id, status } =
    task ?? ('statusUpdate' in event ? { id: event.statusUpdate.taskId, ...event.statusUpdate } : NONE);
  return status?.state === 'TASK_STATE_COMPLETED' ? id : undefined;
}

const NONE = { id: '', status: undefined };
