import type { StreamResponse, TaskArtifactUpdateEvent } from '@parley/protocol/model/event.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { Part } from '@parley/protocol/model/message.js';
import { SUBTASK_EXTENSION } from '@parley/protocol/model/subtask.js';
import type { Task, TaskStatus } from '@parley/protocol/model/task.js';
import { endsStream, isTerminal } from '@parley/protocol/model/task-state.js';
import { BegunArtifacts } from './begun-artifacts.js';
import * as frames from './frames.js';
import type { Frame, Run } from './frames.js';
import { textOfMessage } from '../../operations/open-forms.js';
import { interruptsOf } from './interrupts.js';
import { artifactMessageId, merged, type PageMessage, statusMessage, textMessages } from './task-messages.js';

/** How a stream of frames begins. */
export interface RunBeginning {
  /** The cursor of a reader that comes back; it has the beginning of the run already. */
  readonly lastEventId?: string | undefined;
  /** The page's messages, for a snapshot; undefined for a page that voids messages itself. */
  readonly base: readonly PageMessage[] | undefined;
  /** For a page that opens an earlier conversation, whose last task runs, or has ended: no outcome of this run. */
  readonly opens?: 'running' | 'ended' | undefined;
}

/**
 * Encodes the events of a task as frames of AG-UI. The frames of an event are a group that leaves nothing open, and
 * depend on the event and the artifacts begun before it alone: so any process continues the stream of another one.
 */
export class RunEncoder {
  private readonly begun: BegunArtifacts;
  /** The event that the reader has got last; undefined for a first reader, '' for one that has lost it. */
  private readonly cursor: string | undefined;
  private base: readonly PageMessage[] | undefined;
  private readonly voids: boolean;
  private readonly opens: RunBeginning['opens'];
  private isFirst = true;
  private isDone = false;

  constructor(
    private readonly run: Run,
    { lastEventId, base, opens }: RunBeginning,
  ) {
    const [cursor, list = ''] = lastEventId?.split(';') ?? [];
    const begun = BegunArtifacts.read(list);
    this.begun = begun ?? new BegunArtifacts();
    this.cursor = begun === undefined ? '' : cursor;
    this.base = base;
    this.voids = base === undefined;
    this.opens = opens;
  }

  /** The cursor in a reader's `Last-Event-ID`; undefined where the reader needs the whole task. */
  static cursorIn(lastEventId: string | undefined): string | undefined {
    const [cursor, list = ''] = lastEventId?.split(';') ?? [];
    return BegunArtifacts.read(list) === undefined ? undefined : cursor;
  }

  /** Whether the run has ended for its page: it waits for answers, or its task has ended. */
  get isOver(): boolean {
    return this.isDone;
  }

  /** The id of an encoded event for the reader. */
  idOf(cursor: string): string {
    return this.begun.within(cursor);
  }

  /** @param end result and usage of a completed task */
  encode(event: StreamResponse, id?: string, end: JsonObject = {}): readonly string[] {
    return this.framesOf(event, id, end).map((frame) => JSON.stringify(frame));
  }

  private framesOf(event: StreamResponse, id: string | undefined, end: JsonObject): readonly Frame[] {
    if ('task' in event) return this.ofTask(event.task, id, end);
    if ('message' in event) return this.ofMessage(textOfMessage(event.message), event.message.messageId);
    const update = 'statusUpdate' in event ? event.statusUpdate : event.artifactUpdate;
    const child = update.metadata?.[SUBTASK_EXTENSION];
    if (isJsonObject(child)) return [ofChild(child, event)];
    if ('artifactUpdate' in event) return this.ofArtifact(event.artifactUpdate);
    const { taskId, status } = event.statusUpdate;
    const said = statusMessage(taskId, status);
    const text = said === undefined || said.content === '' ? [] : [frames.chunk(said.id, String(said.content))];
    return [...text, ...this.ofStatus(taskId, status, end)];
  }

  /** The answer of a skill without a task. */
  private ofMessage(text: string, messageId: string): readonly Frame[] {
    this.isDone = true;
    const said = text === '' ? [] : [frames.chunk(messageId, text)];
    return [frames.runStarted(this.run, {}), ...said, frames.runSucceeded(this.run)];
  }

  private ofTask(task: Task, id: string | undefined, end: JsonObject): readonly Frame[] {
    const { isFirst, base, cursor } = this;
    this.isFirst = false;
    // An open stream keeps no history of its page.
    this.base = undefined;
    const now = this.ofStatus(task.id, task.status, end);
    if (isFirst && cursor !== undefined && cursor === id) return this.isDone ? now : [];
    if (base === undefined && !this.voids) {
      // Events are gone, and the page's messages too: the reader comes back with them.
      this.isDone = true;
      return [];
    }
    this.begun.clear();
    const about = { taskId: task.id, contextId: task.contextId };
    const started = isFirst && cursor === undefined ? [frames.runStarted(this.run, about)] : [];
    return [...started, ...this.snapshot(task, base), ...now];
  }

  /** The task as it is. A page that voids messages gets each of its texts anew, any other one all messages. */
  private snapshot(task: Task, base: readonly PageMessage[] | undefined): readonly Frame[] {
    const own = textMessages(task);
    const { id: taskId, artifacts = [] } = task;
    const others = artifacts.flatMap(({ artifactId, name, parts }) =>
      this.ofParts({ taskId, artifactId, name }, parts),
    );
    if (base === undefined) {
      const anew = own.map(({ id, content }) => [voided(id), frames.chunk(id, String(content))]);
      return [...others, ...anew.flat()];
    }
    if (own.length === 0 && (base.length === 0 || this.opens === undefined)) return others;
    return [{ type: 'MESSAGES_SNAPSHOT', messages: merged(base, own) }, ...others];
  }

  private ofArtifact({ taskId, artifact, append }: TaskArtifactUpdateEvent): readonly Frame[] {
    const { artifactId, name, parts } = artifact;
    const before = this.begun.get(artifactId);
    const isAnew = before !== undefined && append !== true;
    const restarts = (before?.restarts ?? 0) + (isAnew ? 1 : 0);
    if (isAnew || before === undefined) this.begun.set(artifactId, { restarts, parts: 0 });
    const others = this.ofParts({ taskId, artifactId, name }, parts);
    const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('');
    const about = before === undefined || isAnew ? { artifactId, name } : undefined;
    const messageId = artifactMessageId(taskId, artifactId, restarts);
    return [
      ...(isAnew ? [voided(artifactMessageId(taskId, artifactId, restarts - 1))] : []),
      ...others,
      ...(text === '' ? [] : [frames.chunk(messageId, text, about)]),
    ];
  }

  /** Parts that are no text, numbered within their artifact. */
  private ofParts(
    { taskId, artifactId, name }: { readonly taskId: string; readonly artifactId: string; readonly name: unknown },
    parts: readonly Part[],
  ): readonly Frame[] {
    const { restarts, parts: first } = this.begun.get(artifactId) ?? { restarts: 0, parts: 0 };
    const others = parts.flatMap((part) => ('text' in part ? [] : [part]));
    this.begun.set(artifactId, { restarts, parts: first + others.length });
    return others.map((part, at) => {
      const id = `${taskId}/${artifactId}#${String(first + at)}`;
      if ('data' in part) return frames.activity('artifact', id, { name, mediaType: part.mediaType, data: part.data });
      return frames.activity('file', id, { name, ...frames.fileContent(part, { taskId, artifactId }) });
    });
  }

  /** Without the text that is a message of its own (`statusMessage`). */
  private ofStatus(taskId: string, status: TaskStatus, end: JsonObject): readonly Frame[] {
    const { state, timestamp } = status;
    const text = textOfMessage(status.message);
    this.isDone = endsStream(state);
    if (this.opens === 'ended' && isTerminal(state)) return [frames.runSucceeded(this.run)];
    switch (state) {
      case 'TASK_STATE_SUBMITTED':
        return [];
      case 'TASK_STATE_WORKING':
        return text === '' ? [] : [frames.activity('status', `${taskId}/status`, { text, state, timestamp })];
      case 'TASK_STATE_AUTH_REQUIRED':
        return [frames.activity('auth', `${taskId}/auth`, { url: loginUrl(status), text })];
      case 'TASK_STATE_INPUT_REQUIRED':
        return [frames.runInterrupted(this.run, interruptsOf(status, taskId))];
      case 'TASK_STATE_COMPLETED':
        return [frames.runSucceeded(this.run, end)];
      case 'TASK_STATE_FAILED':
        return [frames.runFailed(text === '' ? 'The task failed' : text, 'TaskFailed', { taskId })];
      case 'TASK_STATE_REJECTED':
        return [frames.runFailed(text === '' ? 'The task was rejected' : text, 'TaskRejected', { taskId })];
      case 'TASK_STATE_CANCELED':
        return frames.runCanceled(this.run, taskId);
    }
  }
}

/**
 * The text of a message is given up: the artifact begins anew, or a reader gets it anew. Not an activity, which would
 * leave the message open: its end would then follow, or its next piece would not begin it anew.
 */
function voided(messageId: string): Frame {
  return { type: 'CUSTOM', name: 'parley.void', value: { messageId } };
}

/** Progress of a child. */
function ofChild({ taskId, skillId, path, state }: JsonObject, event: StreamResponse): Frame {
  const parts = 'artifactUpdate' in event ? event.artifactUpdate.artifact.parts : undefined;
  const message = 'statusUpdate' in event ? event.statusUpdate.status.message : undefined;
  const text = textOfMessage(parts === undefined ? message : { parts });
  const id = String(taskId);
  return { ...frames.activity('task', id, { skillId, path, state, text }), subagentRunId: id };
}

/** The first link of a message that asks to log in. */
function loginUrl({ message }: TaskStatus): string | undefined {
  const named = (message?.parts ?? []).flatMap((part) => {
    if ('url' in part) return [part.url];
    return 'data' in part && isJsonObject(part.data) && typeof part.data.loginUrl === 'string'
      ? [part.data.loginUrl]
      : [];
  });
  return named.find(frames.isLink);
}
