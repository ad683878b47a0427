import { Inject, Injectable } from '@nestjs/common';
import { isInterrupted, isTerminal } from '@parley/protocol/model/task-state.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { stateWord } from '../record/state-word.js';
import { TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { FIELD } from '../task-fields.js';

/** The state of a task for quotas: ended, running, or waiting for its run. */
export type QuotaState = 'missing' | 'over' | 'open' | 'queued';

/** Reads the states of tasks of any owner, for quotas only. */
@Injectable()
export class QuotaStates {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** One state per id, in one round trip. */
  of(ids: readonly string[]): Promise<readonly QuotaState[]> {
    return Promise.all(ids.map((id) => this.ofOne(id)));
  }

  private async ofOne(id: string): Promise<QuotaState> {
    const word = await this.redis.hget(this.keys.task(id), FIELD.word);
    if (word === null) return 'missing';
    const { state, nonce } = stateWord(word);
    if (isTerminal(state)) return 'over';
    return nonce === '' && !isInterrupted(state) ? 'queued' : 'open';
  }
}
