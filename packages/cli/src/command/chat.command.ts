import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Message } from '@parley/protocol/model/message.js';
import type { AgentClient } from '@parley/client/call/agent-client.js';
import { isAtRest, isKnownState, type RemoteReply } from '@parley/protocol/remote/remote-model.js';
import { isInterrupted } from '@parley/protocol/model/task-state.js';
import { CliError } from '../context/cli-error.js';
import { type CommandContext, callerCommand, run, waitingCommand } from '../context/command-context.js';
import { MessageParts } from '../message/message-parts.js';
import { canResume } from '../message/stream-resume.js';
import { Waiting } from '../message/waiting.js';

const HELP = '/file <path>, /task shows the task, /cancel cancels it, /new begins anew, /quit';

/** `parley chat`: a conversation line by line. Context and open task are carried on from turn to turn. */
export function chatCommand(program: Command): void {
  const command = waitingCommand(callerCommand(program.command('chat')))
    .description('talks with an agent, line by line')
    .option('--context-id <id>', 'continue in this context')
    .option('--task-id <id>', 'continue this task')
    .option('--skill <id>', 'the skill that is meant (metadata.skillId)');
  command.action(() => run(command, (context) => new Chat(context).run()));
}

/** State carried from turn to turn. */
interface Thread {
  readonly contextId?: string | undefined;
  /** A task that waits for an answer. */
  readonly taskId?: string | undefined;
}

class Chat {
  private thread: Thread;
  private files: string[] = [];

  constructor(private readonly context: CommandContext) {
    const { settings } = context;
    this.thread = { contextId: settings.text('context-id'), taskId: settings.text('task-id') };
  }

  async run(): Promise<void> {
    const { streams, output, session } = this.context;
    const client = await session.client();
    const lines = createInterface({ input: streams.input, terminal: false });
    // Without a terminal there is no prompt: each line up to the end of the input is a turn.
    if (streams.isTerminal) output.note(HELP);
    try {
      for await (const line of lines) {
        if (line.trim() === '/quit') break;
        if (line.trim() !== '') await this.answered(client, line.trim());
      }
    } finally {
      lines.close();
    }
  }

  /** A failed turn is shown and does not end the conversation. */
  private async answered(client: AgentClient, line: string): Promise<void> {
    try {
      await (line.startsWith('/') ? this.command(client, line) : this.say(client, line));
    } catch (error) {
      const failure = this.context.session.failed(error);
      if (!(failure instanceof CliError)) throw error;
      this.context.output.failure(failure);
      if (!this.context.streams.isTerminal) process.exitCode = failure.exit;
    }
  }

  private async command(client: AgentClient, line: string): Promise<void> {
    const [name = '', ...rest] = line.split(' ');
    const { output } = this.context;
    const { taskId } = this.thread;
    switch (name) {
      case '/file':
        this.files.push(rest.join(' '));
        return;
      case '/new':
        this.thread = {};
        return;
      case '/task':
        if (taskId === undefined) output.note('No task is open');
        else output.task(await client.getTask({ id: taskId }));
        return;
      case '/cancel':
        if (taskId === undefined) output.note('No task is open');
        else output.task(await client.cancelTask({ id: taskId }));
        return;
      default:
        output.note(HELP);
    }
  }

  private async say(client: AgentClient, text: string): Promise<void> {
    const { settings, session, output } = this.context;
    const { card } = await session.card();
    const waiting = new Waiting(client, {
      pollMs: settings.milliseconds('poll-interval'),
      timeoutMs: settings.milliseconds('timeout'),
      canStream: card.capabilities.streaming === true,
      canResume: canResume(card),
      onTask: (task) => {
        this.thread = { contextId: task.contextId, taskId: task.id };
      },
    });
    const reply = await waiting.send({ message: this.message(text) });
    this.files = [];
    this.thread = threadAfter(reply);
    output.reply(reply);
  }

  private message(text: string): Message {
    const parts = new MessageParts();
    for (const path of this.files) parts.add('file')(path);
    const { skill } = this.context.flags;
    const { contextId, taskId } = this.thread;
    return {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      parts: parts.parts([text], () => ''),
      ...(contextId === undefined ? {} : { contextId }),
      ...(taskId === undefined ? {} : { taskId }),
      ...(typeof skill === 'string' ? { metadata: { skillId: skill } } : {}),
    };
  }
}

/** A task that waits gets the next line; one that has ended leaves its context. */
function threadAfter(reply: RemoteReply): Thread {
  if ('message' in reply) return { contextId: reply.message.contextId };
  const { id, contextId, status } = reply.task;
  const isOpen = !isAtRest(status.state) || (isKnownState(status.state) && isInterrupted(status.state));
  return isOpen ? { contextId, taskId: id } : { contextId };
}
