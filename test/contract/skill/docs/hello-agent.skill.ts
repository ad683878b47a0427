import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';
import { execute, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';

/** Your executor, as it is. */
export class HelloExecutor implements AgentExecutor {
  private readonly canceled = new Set<string>();

  async execute({ taskId, contextId, userMessage }: RequestContext, eventBus: ExecutionEventBus): Promise<void> {
    const status = (state: TaskState) =>
      AgentEvent.statusUpdate({
        ...{ taskId, contextId, metadata: undefined },
        status: { state, message: undefined, timestamp: new Date().toISOString() },
      });
    const submitted = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined };
    const task = {
      id: taskId,
      contextId,
      status: submitted,
      artifacts: [],
      history: [userMessage],
      metadata: undefined,
    };
    eventBus.publish(AgentEvent.task(task));
    eventBus.publish(status(TaskState.TASK_STATE_WORKING));
    for (const [at, word] of ['Hello, ', 'world'].entries()) {
      if (this.canceled.has(taskId)) {
        eventBus.publish(status(TaskState.TASK_STATE_CANCELED));
        return;
      }
      const content = { $case: 'text', value: word } as const;
      const part = { content, metadata: undefined, filename: '', mediaType: 'text/plain' };
      const artifact = {
        ...{ artifactId: 'greeting', name: 'Greeting', description: '', parts: [part] },
        ...{ metadata: undefined, extensions: [] },
      };
      const update = { taskId, contextId, artifact, append: at > 0, lastChunk: at > 0, metadata: undefined };
      eventBus.publish(AgentEvent.artifactUpdate(update));
    }
    eventBus.publish(status(TaskState.TASK_STATE_COMPLETED));
    eventBus.finished();
  }

  async cancelTask(taskId: string): Promise<void> {
    this.canceled.add(taskId);
  }
}

/** The executor as a skill. */
@Skill({ id: 'hello', name: 'Hello', description: 'Greets the world.', tags: ['text'] })
export class HelloSkill implements SkillHandler {
  private readonly executor = new HelloExecutor();

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield* execute(context, this.executor);
  }
}
