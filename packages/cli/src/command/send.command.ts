import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { usageError } from '../context/cli-error.js';
import {
  collect,
  type CommandContext,
  callerCommand,
  hiddenOption,
  run,
  waitingCommand,
} from '../context/command-context.js';
import { onInterrupt } from '../message/interrupt.js';
import { MessageParts } from '../message/message-parts.js';
import { canResume } from '../message/stream-resume.js';
import { Waiting } from '../message/waiting.js';

/** `parley send`: begins or continues an interaction (a2a-cli specification §10.2). */
export function sendCommand(program: Command): void {
  const parts = new MessageParts();
  const command = waitingCommand(callerCommand(program.command('send [text...]')))
    .description('sends a message, and waits for its task')
    .option('--text <string>', 'a part of text; parts keep their order', parts.add('text'))
    .option('--file <path>', 'a file, or a URL that the agent fetches', parts.add('file'))
    .option('--data <path>', 'JSON from a file, or - for stdin', parts.add('data'))
    .option('--media-type <type>', 'media type of the part before it', parts.mediaType)
    .option('--task-id <id>', 'continue this task')
    .option('--context-id <id>', 'begin a task in this context')
    .option('--skill <id>', 'the skill that is meant (metadata.skillId)')
    .option('--accept <type>', 'a media type that may be answered with; repeatable', collect)
    .option('--metadata <json>', 'metadata of the message: a JSON object')
    .option('--async', 'do not wait: print the ids and exit (default: wait)')
    .option('--stream', 'print events as they come; with -o json one document a line')
    .option('--cancel-on-interrupt', 'a second Ctrl-C cancels the task')
    .addOption(hiddenOption('--return-immediately'))
    .addOption(hiddenOption('--no-wait'))
    .addOption(hiddenOption('--text-part <string>', parts.add('text')))
    .addOption(hiddenOption('--file-part <path>', parts.add('file')))
    .addOption(hiddenOption('--data-part <path>', parts.add('data')));
  command.action((words: readonly string[]) => run(command, (context) => send(context, words, parts)));
}

async function send(context: CommandContext, words: readonly string[], parts: MessageParts): Promise<void> {
  const { flags, settings, session, output } = context;
  const message = messageOf(
    context,
    parts.parts(words, () => readFileSync(0, 'utf8')),
  );
  const accept = Array.isArray(flags.accept) ? { acceptedOutputModes: flags.accept.map(String) } : {};
  const client = await session.client();
  const { card } = await session.card();
  if (isAsync(context) && flags.stream !== true) {
    const configuration = { ...accept, returnImmediately: true };
    output.reply(await client.sendMessage({ message, configuration }));
    return;
  }
  const request: SendMessageRequest = { message, configuration: accept };
  const { capabilities } = card;
  if (flags.stream === true && capabilities.streaming !== true) output.note('Note: the agent does not stream');
  const interrupt = onInterrupt(client, {
    cancels: flags.cancelOnInterrupt === true,
    note: (line) => output.note(line),
  });
  const waiting = new Waiting(client, {
    pollMs: settings.milliseconds('poll-interval'),
    timeoutMs: settings.milliseconds('timeout'),
    canStream: capabilities.streaming === true,
    canResume: canResume(card),
    onTask: (task, state) => {
      interrupt.task(task.id);
      if (settings.isOn('debug')) output.note(`* task ${task.id} of context ${task.contextId}: ${state}`);
    },
    onEvent: flags.stream === true ? (event) => output.event(event) : undefined,
  });
  try {
    const reply = await waiting.send(request);
    if (flags.stream !== true) output.reply(reply);
  } finally {
    interrupt.end();
  }
}

function isAsync({ flags, settings }: CommandContext): boolean {
  return flags.returnImmediately === true || flags.wait === false || (flags.wait !== true && settings.isOn('async'));
}

function messageOf({ flags, settings }: CommandContext, parts: Message['parts']): Message {
  const [taskId, contextId] = [settings.text('task-id'), settings.text('context-id')];
  const skill = typeof flags.skill === 'string' ? { skillId: flags.skill } : {};
  const metadata = { ...metadataOf(settings.text('metadata')), ...skill };
  return {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts,
    ...(taskId === undefined ? {} : { taskId }),
    ...(contextId === undefined ? {} : { contextId }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

function metadataOf(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The same words for text that is no JSON and for JSON that is no object.
  }
  throw usageError('--metadata must be a JSON object');
}
