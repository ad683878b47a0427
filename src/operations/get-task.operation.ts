import { Injectable } from '@nestjs/common';
import { taskNotFound } from '@parley/protocol/model/errors.js';
import type { Json } from '@parley/protocol/model/json.js';
import type { GetTaskRequest } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import { TaskStore } from '../tasks/store/task.store.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';

/** GetTask (A2A 1.0 §3.1.3). */
@Injectable()
export class GetTaskOperation implements Operation<'GetTask'> {
  constructor(private readonly store: TaskStore) {}

  async execute({ id, historyLength }: GetTaskRequest, call: Call): Promise<Json<Task>> {
    // Older cards promise state transitions to clients that request history (SEED-07); 1.0 has no such field.
    const states = call.version !== '1.0' && historyLength !== undefined && historyLength > 0;
    const shown = { historyLength, states, created: call.asksCreation, room: call.room };
    const snapshot = await this.store.read(call.owner, id, shown);
    if (snapshot === undefined) throw taskNotFound();
    return snapshot.task;
  }
}
