import { Injectable } from '@nestjs/common';
import { CREATED_AT } from '@parley/protocol/extension/marks.js';
import { A2AError, taskNotFound } from '@parley/protocol/model/errors.js';
import { Json } from '@parley/protocol/model/json.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { ListTasksRequest } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import { endsStream } from '@parley/protocol/model/task-state.js';
import type { Sides } from '../../http/binding/exchange.js';
import type { Call } from '../../operations/call.js';
import { OperationExecutor } from '../../operations/executor/operation-executor.js';
import type { StreamedEvent } from '../../operations/operation.js';
import type { AguiExchange, ReadRequest } from './agui-exchange.js';
import { AguiSettings } from './agui.settings.js';
import * as frames from './frames.js';
import { PageStreams } from './page-streams.js';
import { readRunInput } from './run-input.js';
import { RunEncoder } from './run-encoder.js';
import { conversationOf } from './task-messages.js';

/** Messages of a task that are read for its conversation. */
const MAX_HISTORY = 200;
/** Between two reads a task may end; the next read then has its end. */
const MAX_TRIES = 3;

/** Conversations that pages open again: the messages of a thread's tasks, and the rest of the one that runs. */
@Injectable()
export class Conversations {
  constructor(
    private readonly operations: OperationExecutor,
    private readonly streams: PageStreams,
    private readonly settings: AguiSettings,
  ) {}

  async connect(exchange: AguiExchange, { call, body }: ReadRequest, sides: Sides): Promise<void> {
    const { threadId, runId, isOld } = readRunInput(body);
    // The cursor of a reader that comes back is not needed: it gets all messages again, and no second beginning.
    const { lastEventId, ...fresh } = call;
    for (let tries = 1; ; tries += 1) {
      const tasks = await this.tasksOf({ contextId: threadId, includeArtifacts: true }, fresh);
      const running = tasks.findLast(({ status }) => !endsStream(status.state));
      const newest =
        running ?? tasks.findLast(({ status }) => status.state === 'TASK_STATE_INPUT_REQUIRED') ?? tasks.at(-1);
      const run = { threadId, runId: runIdOf(newest) ?? runId, isOld };
      if (newest === undefined) {
        this.streams.send(exchange, [frames.runStarted(run, {}), frames.runSucceeded(run)], sides);
        return;
      }
      const events = running === undefined ? only(newest) : await this.followed(running.id, fresh);
      if (events === undefined && tries < MAX_TRIES) continue;
      const opens = running === undefined ? 'ended' : 'running';
      const base = tasks.flatMap(conversationOf);
      const beginning = { base, opens, lastEventId: lastEventId === undefined ? undefined : '' } as const;
      exchange.running.facts.taskId = newest.id;
      this.streams.write(exchange, sides, { events: events ?? only(newest), encoder: new RunEncoder(run, beginning) });
      return;
    }
  }

  /** The task of a run of this caller. @throws A2AError TaskNotFound */
  async taskOfRun(threadId: string, runId: string, call: Call): Promise<string> {
    const tasks = await this.tasksOf({ contextId: threadId }, call);
    const found = tasks.find(({ history }) => history?.some(({ messageId }) => messageId === `agui:${runId}`) === true);
    if (found === undefined) throw taskNotFound();
    return found.id;
  }

  /** The caller's latest tasks of a context, the oldest first. */
  private async tasksOf(filter: ListTasksRequest, call: Call): Promise<readonly Task[]> {
    const asked = { ...filter, pageSize: this.settings.history, historyLength: MAX_HISTORY };
    const permitted = await this.operations.permit('ListTasks', asked, { ...call, asksCreation: true });
    const { tasks } = (await this.operations.run(permitted)).value;
    return [...tasks].sort((one, other) => createdAt(one) - createdAt(other));
  }

  /** Undefined for a task that has ended meanwhile. */
  private async followed(id: string, call: Call) {
    try {
      const permitted = await this.operations.permit('SubscribeToTask', { id }, call);
      return await this.operations.run(permitted);
    } catch (error) {
      if (error instanceof A2AError && error.kind === 'UnsupportedOperation') return undefined;
      throw error;
    }
  }
}

/** The stream of a task that has no more events. */
async function* only(task: Task): AsyncGenerator<StreamedEvent<'SubscribeToTask'>, void, void> {
  yield await Promise.resolve({ event: Json.of<StreamResponse>({ task }) });
}

function createdAt({ metadata }: Task): number {
  return Date.parse(String(metadata?.[CREATED_AT]));
}

/** The run that began a task. */
function runIdOf(task: Task | undefined): string | undefined {
  const id = task?.history?.find(({ messageId }) => messageId.startsWith('agui:'))?.messageId;
  return id?.slice('agui:'.length);
}
