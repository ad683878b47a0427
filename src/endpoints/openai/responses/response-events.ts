import type { StreamResponse, TaskArtifactUpdateEvent } from '@parley/protocol/model/event.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Task, TaskStatus } from '@parley/protocol/model/task.js';
import { endsStream } from '@parley/protocol/model/task-state.js';
import type { StreamedEvent } from '../../../operations/operation.js';
import { textOfParts } from '../chat/chat-content.js';
import {
  artifactItemId,
  type Asked,
  lastItems,
  messageItem,
  type ResponseAddress,
  responseHead,
  textContent,
  turnOfMessage,
} from './response-object.js';

/** What the events of a response need. */
export interface EventSources {
  readonly asked: Asked;
  /** The message that began the turn. */
  readonly messageId: string;
  /** The response of a task that has ended or asks. */
  readonly ended: (address: ResponseAddress) => Promise<JsonObject>;
}

/** An item of which the reader has a part. */
interface OpenItem {
  readonly id: string;
  readonly index: number;
  text: string;
}

interface Frame {
  readonly name?: string;
  readonly event: readonly string[];
}

type TaskEvents = AsyncIterator<StreamedEvent<'SendStreamingMessage' | 'SubscribeToTask'>, void, void>;

const FINAL: Readonly<Record<string, string>> = {
  ...{ completed: 'response.completed', failed: 'response.failed', cancelled: 'response.incomplete' },
};
/** Numbers of a task's event for its frames: they go on in any process. */
const FRAMES_OF_EVENT = 4096;

/** The events of a task as those of a response, up to its end or its question. */
export class ResponseEvents implements AsyncIterator<Frame, void, void> {
  private readonly frames: Frame[] = [];
  private readonly items = new Map<string, OpenItem>();
  private address: ResponseAddress | undefined;
  private count = 0;
  private sequence = 0;
  private isOver = false;

  constructor(
    private readonly events: TaskEvents,
    private readonly sources: EventSources,
  ) {}

  async next(): Promise<IteratorResult<Frame, void>> {
    while (this.frames.length === 0) {
      if (this.isOver) return this.return();
      const next = await this.events.next();
      if (next.done === true) return next;
      const { id, event } = next.value;
      this.sequence = Math.max(this.sequence, Number.parseInt(id ?? '0', 10) * FRAMES_OF_EVENT);
      await this.take(event.value);
    }
    return { done: false, value: this.frames.shift() ?? { event: [] } };
  }

  async return(): Promise<IteratorReturnResult<void>> {
    await this.events.return?.();
    return { done: true, value: undefined };
  }

  private async take(event: StreamResponse): Promise<void> {
    if ('task' in event) return this.ofTask(event.task);
    if ('artifactUpdate' in event) this.ofArtifact(event.artifactUpdate);
    if ('statusUpdate' in event) await this.ofStatus(event.statusUpdate.taskId, event.statusUpdate.status);
    if ('message' in event) this.ofMessage(event.message.messageId, textOfParts(event.message.parts));
  }

  private async ofTask(task: Task): Promise<void> {
    const { asked, messageId } = this.sources;
    const { id, status, artifacts = [] } = task;
    this.address = { taskId: id, turn: turnOfMessage(task, messageId) };
    const running: TaskStatus = { ...status, state: 'TASK_STATE_WORKING' };
    const response = responseHead(this.address, running, asked);
    this.put('response.created', { response });
    this.put('response.in_progress', { response });
    for (const { artifactId, parts } of artifacts)
      this.write(artifactId, artifactItemId(id, { artifactId }), textOfParts(parts));
    await this.ofStatus(id, status);
  }

  private ofArtifact({ taskId, artifact, append }: TaskArtifactUpdateEvent): void {
    const { artifactId, parts } = artifact;
    const open = this.items.get(artifactId);
    if (append === true && open !== undefined) {
      this.write(artifactId, open.id, textOfParts(parts));
      return;
    }
    // It begins again: as an item of its own, since what was sent stays.
    if (open !== undefined) this.close(open);
    this.items.delete(artifactId);
    this.write(artifactId, artifactItemId(taskId, artifact, open === undefined ? 0 : this.count), textOfParts(parts));
  }

  private ofMessage(messageId: string, text: string): void {
    const { asked } = this.sources;
    this.address = { taskId: messageId, turn: 1 };
    const status: TaskStatus = { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() };
    const response = responseHead(this.address, status, asked);
    this.put('response.created', { response: { ...response, status: 'in_progress' } });
    this.put('response.in_progress', { response: { ...response, status: 'in_progress' } });
    this.write('message', `msg_${messageId}`, text);
    this.finish({ ...response, output: [messageItem(`msg_${messageId}`, text)] });
  }

  private async ofStatus(taskId: string, status: TaskStatus): Promise<void> {
    const { asked, ended } = this.sources;
    const { address } = this;
    if (address === undefined || !endsStream(status.state)) return;
    // An answer in JSON is checked as a whole; a client's calls and last words come behind the artifacts.
    const last = lastItems(taskId, status, asked.hasAskTool, this.items.size > 0);
    for (const item of asked.format === undefined ? last : []) this.whole(item);
    const response = await ended(address);
    if (asked.format !== undefined) for (const item of response.output as readonly JsonObject[]) this.whole(item);
    this.finish(response);
  }

  /** Ends the items and the stream. */
  private finish(response: JsonObject): void {
    for (const item of this.items.values()) this.close(item);
    this.put(FINAL[String(response.status)] ?? 'response.completed', { response });
    this.frames.push({ event: ['[DONE]'] });
    this.isOver = true;
  }

  private write(artifactId: string, id: string, text: string): void {
    if (text === '' || (this.sources.asked.format !== undefined && artifactId !== 'message')) return;
    const open = this.items.get(artifactId) ?? this.begin(id);
    this.items.set(artifactId, open);
    open.text += text;
    this.put('response.output_text.delta', { ...placeOf(open), delta: text, logprobs: [] });
  }

  private begin(id: string): OpenItem {
    const item = { id, index: this.count, text: '' };
    this.count += 1;
    const empty = { ...messageItem(id, '', 'in_progress'), content: [] };
    this.put('response.output_item.added', { output_index: item.index, item: empty });
    this.put('response.content_part.added', { ...placeOf(item), part: textContent('') });
    return item;
  }

  private close(item: OpenItem): void {
    this.put('response.output_text.done', { ...placeOf(item), text: item.text, logprobs: [] });
    this.put('response.content_part.done', { ...placeOf(item), part: textContent(item.text) });
    this.put('response.output_item.done', { output_index: item.index, item: messageItem(item.id, item.text) });
  }

  /** An item that comes at once. */
  private whole(item: JsonObject): void {
    if (item.type === 'message') {
      const [{ text } = { text: '' }] = item.content as readonly { readonly text: string }[];
      const open = this.begin(String(item.id));
      open.text = text;
      this.put('response.output_text.delta', { ...placeOf(open), delta: open.text, logprobs: [] });
      this.close(open);
      return;
    }
    const index = this.count;
    this.count += 1;
    const about = { item_id: item.id, output_index: index };
    this.put('response.output_item.added', {
      output_index: index,
      item: { ...item, arguments: '', status: 'in_progress' },
    });
    this.put('response.function_call_arguments.delta', { ...about, delta: item.arguments });
    this.put('response.function_call_arguments.done', { ...about, name: item.name, arguments: item.arguments });
    this.put('response.output_item.done', { output_index: index, item });
  }

  private put(type: string, members: JsonObject): void {
    const text = JSON.stringify({ type, sequence_number: this.sequence, ...members });
    this.sequence += 1;
    this.frames.push({ name: type, event: [text] });
  }
}

function placeOf({ id, index }: OpenItem): JsonObject {
  return { item_id: id, output_index: index, content_index: 0 };
}
