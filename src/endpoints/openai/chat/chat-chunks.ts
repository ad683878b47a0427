import type { StreamResponse, TaskArtifactUpdateEvent } from '@parley/protocol/model/event.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { Task, TaskStatus } from '@parley/protocol/model/task.js';
import { endsStream } from '@parley/protocol/model/task-state.js';
import type { StreamedEvent } from '../../../operations/operation.js';
import { textOfMessage } from '../../../operations/open-forms.js';
import { endingFault, jsonOf, textOfParts, usageOf } from './chat-content.js';
import { completionHead } from './chat-completion.js';
import type { ChatRequest } from './chat-input.js';
import { errorOf } from '../openai-faults.js';
import { askCalls, askedText } from './questions-in-chat.js';

/** What of a request its stream needs: it may stay open for hours. */
export type ChunkOptions = Pick<ChatRequest, 'model' | 'wantsUsage' | 'hasAskTool' | 'format'> & {
  /** Whether progress of the task is shown, as reasoning. */
  readonly showsProgress: boolean;
  /** Whether the stream is of an answer to a task: what the task had before is known. */
  readonly isAnswer: boolean;
  /** Reads the completed task. */
  readonly completed: (taskId: string) => Promise<Task>;
};

type TaskEvents = AsyncIterator<StreamedEvent<'SendStreamingMessage'>, void, void>;

/** The last text of a stream. */
export const DONE = '[DONE]';

/** The events of a task as chunks of a chat completion, up to its end or its question. */
export class ChatChunks implements AsyncIterator<{ readonly event: readonly string[] }, void, void> {
  private head: JsonObject | undefined;
  /** The artifacts of which the reader has a part; 'hidden' for the rest of one that it had before. */
  private readonly begun = new Set<string>();
  private isOver = false;

  constructor(
    private readonly events: TaskEvents,
    private readonly options: ChunkOptions,
  ) {}

  async next(): Promise<IteratorResult<{ readonly event: readonly string[] }, void>> {
    if (this.isOver) return this.return();
    const next = await this.events.next();
    if (next.done === true) return next;
    const chunks = await this.ofEvent(next.value.event.value);
    return { done: false, value: { event: chunks } };
  }

  async return(): Promise<IteratorReturnResult<void>> {
    await this.events.return?.();
    return { done: true, value: undefined };
  }

  private async ofEvent(event: StreamResponse): Promise<readonly string[]> {
    if ('task' in event) return this.ofTask(event.task);
    if ('artifactUpdate' in event) return this.ofArtifact(event.artifactUpdate);
    if ('statusUpdate' in event) return this.ofStatus(event.statusUpdate.taskId, event.statusUpdate.status);
    return this.ofMessage(event.message);
  }

  private async ofTask({ id, status, artifacts = [] }: Task): Promise<readonly string[]> {
    const { model, isAnswer } = this.options;
    this.head ??= { ...completionHead(id, model, status.timestamp), object: 'chat.completion.chunk' };
    const before = this.delta({ role: 'assistant', content: '' });
    const texts = artifacts.flatMap(({ artifactId, parts }) => {
      const text = isAnswer ? '' : this.joined(artifactId, textOfParts(parts));
      this.begun.add(artifactId);
      return text;
    });
    return [before, ...this.content(texts.join('')), ...(await this.ofStatus(id, status))];
  }

  /** A skill that answers without a task. */
  private ofMessage({ messageId, parts }: Message): readonly string[] {
    this.isOver = true;
    this.head = {
      ...completionHead(messageId, this.options.model, new Date().toISOString()),
      object: 'chat.completion.chunk',
    };
    return [this.delta({ role: 'assistant', content: textOfParts(parts) }), this.finish('stop'), DONE];
  }

  private ofArtifact({ artifact, append }: TaskArtifactUpdateEvent): readonly string[] {
    const { artifactId, parts } = artifact;
    const text = textOfParts(parts);
    if (append === true && this.begun.has(artifactId)) return this.content(text);
    const isAnew = this.begun.has(artifactId);
    const joined = this.joined(artifactId, text);
    this.begun.add(artifactId);
    return this.content(isAnew ? `\n\n(begun again)\n\n${text}` : joined);
  }

  /** A further artifact comes behind a blank line. */
  private joined(artifactId: string, text: string): string {
    return this.begun.size === 0 || this.begun.has(artifactId) ? text : `\n\n${text}`;
  }

  private async ofStatus(taskId: string, status: TaskStatus): Promise<readonly string[]> {
    const { state, message } = status;
    this.isOver = endsStream(state);
    const fault = this.isOver ? endingFault(taskId, status) : undefined;
    if (fault !== undefined) return [JSON.stringify({ error: errorOf(fault, 500) })];
    const text = textOfMessage(message);
    switch (state) {
      case 'TASK_STATE_COMPLETED':
        return this.end(taskId, status);
      case 'TASK_STATE_INPUT_REQUIRED':
        return this.asked(taskId, status);
      case 'TASK_STATE_AUTH_REQUIRED':
        return this.content(askedText(status));
      case 'TASK_STATE_SUBMITTED':
      case 'TASK_STATE_WORKING':
      case 'TASK_STATE_FAILED':
      case 'TASK_STATE_REJECTED':
      case 'TASK_STATE_CANCELED':
        return text === '' || !this.options.showsProgress ? [] : [this.delta({ reasoning_content: `${text}\n` })];
    }
  }

  private asked(taskId: string, status: TaskStatus): readonly string[] {
    if (!this.options.hasAskTool) return [...this.content(askedText(status)), this.finish('stop'), DONE];
    const calls = askCalls(taskId, status).map((call, index) => ({ index, ...call }));
    return [this.delta({ tool_calls: calls }), this.finish('tool_calls'), DONE];
  }

  private async end(taskId: string, { message }: TaskStatus): Promise<readonly string[]> {
    const { wantsUsage, format, completed } = this.options;
    const task = wantsUsage || format !== undefined ? await completed(taskId) : undefined;
    const usage = wantsUsage && task !== undefined ? usageOf(task) : undefined;
    const last = format !== undefined && task !== undefined ? jsonOf(task, format) : '';
    const said = this.begun.size === 0 && format === undefined ? textOfMessage(message) : '';
    return [
      ...(last === '' ? this.content(said) : [this.delta({ content: last })]),
      this.finish('stop'),
      ...(usage === undefined ? [] : [JSON.stringify({ ...this.head, choices: [], usage })]),
      DONE,
    ];
  }

  /** An answer in JSON is checked as a whole: it comes at the end. */
  private content(text: string): readonly string[] {
    return text === '' || this.options.format !== undefined ? [] : [this.delta({ content: text })];
  }

  private delta(delta: JsonObject): string {
    return JSON.stringify({ ...this.head, choices: [{ index: 0, delta, finish_reason: null }] });
  }

  private finish(reason: string): string {
    return JSON.stringify({ ...this.head, choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  }
}
