import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { Answerer, Person, StoredAnswer } from '@parley/protocol/extension/questions.js';
import { answerField } from '../record/open-question.js';
import { digestOf } from './sender.store.js';
import { TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';

/** The decision of a question. */
export interface Decision {
  /** Absent if the caller of the open start answered, or was not recorded. */
  readonly by?: Person;
  /** All persons who gave the answer, for a question to several persons. */
  readonly givenBy?: readonly Person[];
  /** Ms since 1970. */
  readonly at: number;
  /** Absent if the message was not among the last ones of its task. */
  readonly parts?: Message['parts'];
}

/** Messages of a task searched for an answer. */
const MAX_MESSAGES = 50;

/** Reads the answers of closed questions and their authors. */
@Injectable()
export class DecisionStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Undefined for an unanswered question. @param id id of the question */
  async of(id: string): Promise<Decision | undefined> {
    const [taskId = '', turn = ''] = id.split(':', 2);
    const field = answerField(id);
    if (field === undefined) return this.ofTurn(taskId, turn);
    const text = await this.redis.hget(this.keys.journal(taskId), field);
    if (text === null) return undefined;
    const { parts, sender, at, givenBy } = JSON.parse(text) as StoredAnswer;
    return { at, parts, ...byOf(sender), ...(givenBy === undefined ? {} : { givenBy }) };
  }

  /** The question that ended a turn was answered by the message that began the next one. */
  private async ofTurn(taskId: string, turn: string): Promise<Decision | undefined> {
    const noted = await this.redis.hget(this.keys.senders(taskId), `?${turn}`);
    const [at, digest = ''] = noted?.split(' ') ?? [];
    if (at === undefined) return undefined;
    const [sender, said] = await Promise.all([
      this.redis.hget(this.keys.senders(taskId), digest),
      this.redis.lrange(this.keys.history(taskId), -MAX_MESSAGES, -1),
    ]);
    const messages = said.map((text) => JSON.parse(text) as Message);
    const parts = messages.findLast((message) => digestOf(message) === digest)?.parts;
    const by = sender === null ? undefined : (JSON.parse(sender) as Answerer);
    return { at: Number(at), ...byOf(by), ...(parts === undefined ? {} : { parts }) };
  }
}

function byOf(sender: Answerer | undefined): { readonly by?: Person } {
  if (sender === undefined) return {};
  const { client, subject } = sender;
  return { by: { client, ...(subject === undefined ? {} : { subject }) } };
}
