import type { AgentClient } from '@parley/client/call/agent-client.js';
import { shellArgument } from '../context/shell-word.js';

export interface InterruptOptions {
  /** Whether a second Ctrl-C cancels the task. */
  readonly cancels: boolean;
  readonly note: (line: string) => void;
}

/** Handles Ctrl-C while a command waits: prints the id of the task with the command that continues it. */
export function onInterrupt(client: AgentClient, { cancels, note }: InterruptOptions) {
  let taskId: string | undefined;
  let times = 0;
  const onSignal = (): void => {
    times += 1;
    if (taskId === undefined) process.exit(130);
    if (times === 1) {
      note(`Task: ${taskId}`);
      note(`Go on with: parley task get --wait ${shellArgument(taskId)}`);
      if (cancels) note('Ctrl-C again cancels the task');
      else process.exit(130);
      return;
    }
    client.cancelTask({ id: taskId }).then(
      ({ status }) => {
        note(`State: ${status.state}`);
        process.exit(130);
      },
      (error: unknown) => {
        note(`The task could not be canceled: ${error instanceof Error ? error.message : String(error)}`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  return {
    task: (id: string): void => {
      taskId = id;
    },
    end: (): void => {
      process.off('SIGINT', onSignal);
    },
  };
}
