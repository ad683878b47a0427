import { randomUUID } from 'node:crypto';
import type { HttpDoor } from '../../../test/kit/stubs/http-door.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { Task } from '@parley/protocol/model/task.js';
import { insist, type Replicas } from './caller.js';
import { until } from '../fleet/fleet.js';
import type { StoredTask } from '../check/stored-tasks.js';

export interface InterviewsOptions {
  /** `interview`, or a skill that hands its data on to it. */
  readonly skillId: string;
  /** Questions of each task, one after the other. */
  readonly questions: number;
  /** Where messages go. */
  readonly door: Replicas;
  /** Where tasks are read. */
  readonly replicas: Replicas;
  /** How long a task may take to ask, or to end. */
  readonly timeoutMs: number;
}

/**
 * Callers who answer the questions of their tasks, each with an answer of its own. A caller sends an answer until it has a response, and
 * sends all of them again at each later question and after the end, as one does that does not know what became of them.
 */
export class Interviews {
  readonly ids: string[] = [];
  /** Messages with an answer, and calls that it took to send them. */
  sent = 0;
  calls = 0;

  constructor(private readonly options: InterviewsOptions) {}

  async run(tasks: number, callers: number): Promise<void> {
    let left = tasks;
    const caller = async (): Promise<void> => {
      while (left-- > 0) await this.hold();
    };
    await Promise.all(Array.from({ length: callers }, caller));
  }

  private async hold(): Promise<void> {
    const { skillId, questions } = this.options;
    const name = randomUUID();
    const first = { messageId: name, parts: [{ data: { name, questions } }], metadata: { skillId } };
    const { result, error } = await this.send(first);
    const id = result?.task?.id;
    if (id === undefined) throw new Error(`No task was begun: ${error?.message ?? 'no task'}`);
    this.ids.push(id);
    const answers: Omit<Message, 'role'>[] = [];
    for (let question = 1; question <= questions; question += 1) {
      await this.shows(id, `Question ${String(question)}?`);
      await this.give(id, answers);
      const text = answerTo(name, question);
      answers.push({ messageId: text, taskId: id, parts: [{ text }] });
      await this.give(id, answers.slice(-1));
    }
    await this.shows(id, 'TASK_STATE_COMPLETED');
    await this.give(id, answers);
  }

  private async give(id: string, answers: readonly Omit<Message, 'role'>[]): Promise<void> {
    for (const answer of answers) {
      const { result, error, tries } = await this.send(answer);
      this.sent += 1;
      this.calls += tries;
      if (result?.task?.id === id) continue;
      throw new Error(`${id} did not take the answer ${answer.messageId}: ${error?.message ?? 'another task came'}`);
    }
  }

  private send(message: Omit<Message, 'role'>): ReturnType<typeof insist> {
    const params = { message: { ...message, role: 'ROLE_USER' }, configuration: { returnImmediately: true } };
    return insist(this.options.door, 'SendMessage', params);
  }

  private async shows(id: string, words: string): Promise<void> {
    const { replicas, timeoutMs } = this.options;
    let status = '';
    const isShown = async (): Promise<boolean> => {
      const { result } = await insist(replicas, 'GetTask', { id, historyLength: 0 });
      status = JSON.stringify((result as unknown as Task | undefined)?.status ?? {});
      return status.includes(words);
    };
    await until(isShown, timeoutMs).catch(() => {
      throw new Error(`${id} did not come to "${words}" within ${String(timeoutMs)} ms: ${status}`);
    });
  }
}

function answerTo(name: string, question: number): string {
  return `${name} ${String(question)}`;
}

/** Loses the response of the first sending of each answer: the service has taken it, and its sender does not know. */
export function losingFirstAnswers(lost: Set<string>): HttpDoor['loses'] {
  return ({ body }) => {
    if (!body.includes('"SendMessage"')) return false;
    const { params } = JSON.parse(body) as { readonly params?: { readonly message?: Message } };
    const { messageId, taskId } = params?.message ?? {};
    if (messageId === undefined || taskId === undefined || lost.has(messageId)) return false;
    lost.add(messageId);
    return true;
  };
}

/** Faults of a caller's task: each of its questions must be answered once, by its own answer. */
export function interviewFaults({ id, fields, events }: StoredTask, questions: number): readonly string[] {
  if (fields.state !== 'TASK_STATE_COMPLETED') return [`${id} is ${fields.state ?? ''} ${fields.message ?? ''}`];
  const results = events.flatMap(({ event }) => ('artifactUpdate' in event ? event.artifactUpdate.artifact.parts : []));
  const data = results.flatMap((part) => ('data' in part ? [part.data as InterviewResult] : []));
  return data.flatMap(({ name, answers }) => {
    const own = Array.from({ length: questions }, (_unused, at) => answerTo(name, at + 1));
    return JSON.stringify(answers) === JSON.stringify(own) ? [] : [`${id} was answered with ${answers.join(', ')}`];
  });
}

interface InterviewResult {
  readonly name: string;
  readonly answers: readonly string[];
}
