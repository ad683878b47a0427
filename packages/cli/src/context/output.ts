import { printableJson, printableLine } from '@parley/protocol/json/printable.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import type { Artifact } from '@parley/protocol/model/task.js';
import {
  isAtRest,
  type RemoteEvent,
  type RemoteReply,
  type RemoteStatus,
  type RemoteTask,
} from '@parley/protocol/remote/remote-model.js';
import type { CliError } from './cli-error.js';
import { shellWord } from './shell-word.js';

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export interface OutputOptions {
  readonly format: 'text' | 'json';
  /** Events as they come; with `json` one document a line. */
  readonly isStream: boolean;
  readonly isVerbose: boolean;
  /** The command that continues a task, without its id. */
  readonly resume: string;
}

/**
 * Prints results: the protocol's own JSON, or `Label: value` lines without control sequences (a2a-cli specification §11).
 * Results go to stdout, everything else to stderr.
 */
export class Output {
  constructor(
    private readonly streams: Streams,
    private readonly options: OutputOptions,
  ) {}

  get isJson(): boolean {
    return this.options.format === 'json';
  }

  /** A result that is the same in both formats but for its text form. */
  document(value: unknown, text: () => readonly string[]): void {
    if (this.isJson) this.line(this.json(value));
    else for (const line of text()) this.line(line);
  }

  reply(reply: RemoteReply): void {
    this.document(reply, () => ('task' in reply ? this.taskLines(reply.task) : this.messageLines(reply.message)));
    if ('task' in reply) this.warn(reply.task.status);
  }

  task(task: RemoteTask): void {
    this.document(task, () => this.taskLines(task));
    this.warn(task.status);
  }

  event(event: RemoteEvent): void {
    this.document(event, () => this.eventLines(event));
    const status = statusOf(event);
    if (status !== undefined && isAtRest(status.state)) this.warn(status);
  }

  /** Lines behind the first are indented: text of others begins no line with a label of ours. */
  note(text: string): void {
    this.streams.err(`${text.replaceAll(/\r?\n/g, '\n  ')}\n`);
  }

  failure(error: CliError): void {
    if (this.isJson) {
      this.line(this.json(error.envelope));
      return;
    }
    const { hint } = error.details;
    this.note(`Error: ${error.message}`);
    this.note(`Code: ${error.code}`);
    if (hint !== undefined) this.note(`Hint: ${hint}`);
  }

  private json(value: unknown): string {
    return printableJson(value, this.options.isStream ? undefined : 2);
  }

  private line(text: string): void {
    this.streams.out(`${text}\n`);
  }

  /** The outcome of the task is no failure of the command: it is named on stderr. */
  private warn({ state }: RemoteStatus): void {
    if (['TASK_STATE_FAILED', 'TASK_STATE_REJECTED', 'TASK_STATE_CANCELED'].includes(state)) {
      this.note(`Warning: the task ended as ${state}`);
    }
    if (state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED') {
      this.note(`Warning: the task waits for you: ${state}`);
    }
  }

  private taskLines({ id, contextId, status, artifacts = [], history = [], metadata }: RemoteTask): readonly string[] {
    return [
      ...this.stateLines(id, contextId, status),
      ...artifacts.flatMap((artifact) => this.artifactLines(artifact)),
      ...(this.options.isVerbose ? history.flatMap((message) => this.messageLines(message)) : []),
      ...(this.options.isVerbose && metadata !== undefined ? block('Metadata', pretty(metadata)) : []),
    ];
  }

  private stateLines(id: string, contextId: string, { state, message, timestamp }: RemoteStatus): readonly string[] {
    const isWaiting = state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
    return [
      field('Task', id),
      field('Context', contextId),
      field('State', state),
      ...(timestamp === undefined || !this.options.isVerbose ? [] : [field('Updated', timestamp)]),
      ...(message === undefined ? [] : message.parts.flatMap((part) => partLines(part, 'Status'))),
      ...(isWaiting ? [field('Resume', `${this.options.resume} --task-id ${shellWord(id)} "<reply>"`)] : []),
    ];
  }

  private artifactLines({ artifactId, name, description, parts }: Artifact): readonly string[] {
    return [
      field('Artifact', artifactId),
      ...(name === undefined ? [] : [field('Name', name)]),
      ...(description === undefined || !this.options.isVerbose ? [] : [field('Description', description)]),
      ...parts.flatMap((part) => partLines(part, 'Text')),
    ];
  }

  private messageLines({ messageId, contextId, role, parts, metadata }: Message): readonly string[] {
    return [
      field('Message', messageId),
      ...(contextId === undefined ? [] : [field('Context', contextId)]),
      field('Role', role),
      ...parts.flatMap((part) => partLines(part, 'Text')),
      ...(this.options.isVerbose && metadata !== undefined ? block('Metadata', pretty(metadata)) : []),
    ];
  }

  private eventLines(event: RemoteEvent): readonly string[] {
    if ('task' in event) return this.taskLines(event.task);
    if ('message' in event) return this.messageLines(event.message);
    if ('statusUpdate' in event) {
      const { taskId, contextId, status } = event.statusUpdate;
      return this.stateLines(taskId, contextId, status);
    }
    return this.artifactLines(event.artifactUpdate.artifact);
  }
}

/** The status in an event; undefined in one that has none. */
export function statusOf(event: RemoteEvent): RemoteStatus | undefined {
  if ('task' in event) return event.task.status;
  return 'statusUpdate' in event ? event.statusUpdate.status : undefined;
}

/** One `Label: value` line. */
export function field(label: string, value: string): string {
  return `${label}: ${printableLine(value)}`;
}

/** A text of several lines below its label; the first empty line ends it, so that empty lines inside have a space. */
export function block(label: string, text: string): readonly string[] {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => (line === '' ? ' ' : line));
  return [`${label}:`, ...lines, ''];
}

function partLines(part: Part, label: string): readonly string[] {
  if ('text' in part) return block(label, part.text);
  if ('data' in part) return block('Data', pretty(part.data));
  const name = part.filename ?? 'unnamed';
  const type = part.mediaType ?? 'unknown type';
  const content = 'url' in part ? part.url : `${String(Buffer.byteLength(part.raw, 'base64'))} bytes`;
  return [field('File', `${name}, ${type}, ${content}`)];
}

function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
