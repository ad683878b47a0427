import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import type { Part } from '@parley/protocol/model/message.js';
import { TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import { hasEnded, type RemoteTask } from '@parley/protocol/remote/remote-model.js';
import { answerCommand } from './answer.command.js';
import { CliError, EXIT, usageError } from '../context/cli-error.js';
import { type CommandContext, callerCommand, hiddenOption, run, waitingCommand } from '../context/command-context.js';
import { onInterrupt } from '../message/interrupt.js';
import { field, statusOf } from '../context/output.js';
import { shellArgument, shellWord } from '../context/shell-word.js';
import { canResume } from '../message/stream-resume.js';
import { Waiting } from '../message/waiting.js';

/** `parley task …`: tasks of an agent by their ids (a2a-cli specification §10.3, §10.4). */
export function taskCommands(task: Command): void {
  const get = waitingCommand(callerCommand(task.command('get <task-id>')))
    .description('shows a task: state, artifacts, history')
    .option('--history <n>', 'so many messages of its history')
    .addOption(hiddenOption('--watch'));
  get.action((id: string) => run(get, (context) => getTask(context, id)));

  const cancel = callerCommand(task.command('cancel <task-id>')).description('cancels a task');
  cancel.action((id: string) =>
    run(cancel, async ({ session, output }) => {
      output.task(await (await session.client()).cancelTask({ id }));
    }),
  );

  const list = callerCommand(task.command('list'))
    .description('lists tasks, a page at a time')
    .option('--status <state>', 'only tasks in this state: working, completed …')
    .option('--context-id <id>', 'only tasks of this context')
    .option('--page-size <n>', 'tasks on a page')
    .option('--page-token <token>', 'the page behind the one that gave this token')
    .option('--history <n>', 'so many messages of each history')
    .option('--artifacts', 'with artifacts');
  list.action(() => run(list, listTasks));

  const subscribe = waitingCommand(callerCommand(task.command('subscribe <task-id>')))
    .description('follows a task: prints it when it is at rest, or each event with --stream')
    .option('--stream', 'print events as they come; with -o json one document a line');
  subscribe.action((id: string) => run(subscribe, (context) => subscribeTo(context, id)));

  answerCommand(task);

  const download = callerCommand(task.command('download <task-id>'))
    .description('saves the artifacts of a task as files')
    .option('--dir <path>', 'folder for the files (default: the working folder)')
    .option('--artifact <id>', 'only this artifact');
  download.action((id: string) => run(download, (context) => downloadTask(context, id)));
}

async function getTask({ flags, settings, session, output }: CommandContext, id: string): Promise<void> {
  const client = await session.client();
  const historyLength = flags.history === undefined ? 0 : countOf(flags.history, '--history');
  if (flags.wait !== true && flags.watch !== true) {
    output.task(await client.getTask({ id, historyLength }));
    return;
  }
  const interrupt = onInterrupt(client, { cancels: false, note: (line) => output.note(line) });
  interrupt.task(id);
  try {
    const waiting = new Waiting(client, {
      pollMs: settings.milliseconds('poll-interval'),
      timeoutMs: settings.milliseconds('timeout'),
      ...{ canStream: false, canResume: false, onTask: () => undefined },
    });
    output.task(await waiting.follow(id));
  } finally {
    interrupt.end();
  }
}

async function listTasks({ flags, session, output }: CommandContext): Promise<void> {
  const client = await session.client();
  const { contextId, pageToken } = flags;
  const list = await client.listTasks({
    ...(typeof contextId === 'string' ? { contextId } : {}),
    ...(typeof pageToken === 'string' ? { pageToken } : {}),
    ...(typeof flags.status === 'string' ? { status: stateOf(flags.status) } : {}),
    ...(flags.pageSize === undefined ? {} : { pageSize: countOf(flags.pageSize, '--page-size') }),
    ...(flags.history === undefined ? {} : { historyLength: countOf(flags.history, '--history') }),
    ...(flags.artifacts === true ? { includeArtifacts: true } : {}),
  });
  output.document(list, () => [
    ...list.tasks.flatMap(({ id, contextId: context, status }) => [
      field('Task', id),
      field('Context', context),
      field('State', status.state),
    ]),
    ...(list.totalSize === undefined ? [] : [field('Total', String(list.totalSize))]),
    ...(list.nextPageToken === '' ? [] : [field('Next', `--page-token ${shellWord(list.nextPageToken)}`)]),
  ]);
}

async function subscribeTo({ flags, settings, session, output }: CommandContext, id: string): Promise<void> {
  const client = await session.client();
  const { card } = await session.card();
  const canStream = card.capabilities.streaming === true;
  if (!canStream) output.note('Note: the agent does not stream: its task is polled');
  const interrupt = onInterrupt(client, { cancels: false, note: (line) => output.note(line) });
  interrupt.task(id);
  const progress = { isEnded: false };
  const waiting = new Waiting(client, {
    pollMs: settings.milliseconds('poll-interval'),
    timeoutMs: settings.milliseconds('timeout'),
    ...{ canStream, canResume: canResume(card), onTask: () => undefined },
    onEvent: (event) => {
      const status = statusOf(event);
      progress.isEnded = status !== undefined && hasEnded(status.state);
      if (flags.stream === true) output.event(event);
    },
  });
  try {
    const task = await waiting.follow(id);
    if (flags.stream !== true) output.task(task);
    else if (!progress.isEnded && hasEnded(task.status.state)) output.event({ task });
  } finally {
    interrupt.end();
  }
}

async function downloadTask({ flags, session, output }: CommandContext, id: string): Promise<void> {
  const task = await (await session.client()).getTask({ id });
  const folder = typeof flags.dir === 'string' ? flags.dir : '.';
  const artifacts = (task.artifacts ?? []).filter(
    ({ artifactId }) => flags.artifact === undefined || artifactId === flags.artifact,
  );
  if (artifacts.length === 0) {
    throw new CliError('A2ACLI_ERR_INTERNAL', `Task ${id} has no such artifact`, EXIT.failure, {
      hint: `See its artifacts: parley task get ${shellArgument(id)}`,
    });
  }
  await mkdir(folder, { recursive: true });
  const files: { artifactId: string; path: string; bytes: number }[] = [];
  const taken = new Set<string>();
  for (const { artifactId, name, parts } of artifacts) {
    for (const [at, part] of parts.entries()) {
      if ('url' in part) {
        output.note(`Note: ${artifactId} has a file elsewhere, which is not fetched: ${part.url}`);
        continue;
      }
      const path = join(folder, freeName(fileName(part, name ?? artifactId, at), taken));
      const bytes = bytesOf(part);
      // An existing file is not replaced.
      await writeFile(path, bytes, { flag: 'wx' });
      files.push({ artifactId, path, bytes: bytes.length });
    }
  }
  output.document({ taskId: task.id, contextId: task.contextId, state: task.status.state, files }, () => [
    ...taskFields(task),
    ...files.map(({ path, bytes }) => field('Saved', `${path}, ${String(bytes)} bytes`)),
  ]);
}

function taskFields({ id, contextId, status }: RemoteTask): readonly string[] {
  return [field('Task', id), field('Context', contextId), field('State', status.state)];
}

function bytesOf(part: Exclude<Part, { url: string }>): Buffer {
  if ('text' in part) return Buffer.from(part.text);
  return 'raw' in part ? Buffer.from(part.raw, 'base64') : Buffer.from(`${JSON.stringify(part.data, undefined, 2)}\n`);
}

/** A name that stays in its folder, whatever the agent has called the file. */
function fileName(part: Exclude<Part, { url: string }>, name: string, at: number): string {
  const ending = 'text' in part ? '.txt' : 'data' in part ? '.json' : '.bin';
  const given = part.filename ?? `${name}${at === 0 ? '' : `-${String(at)}`}${name.includes('.') ? '' : ending}`;
  const safe = basename(given.replaceAll('\\', '/')).replaceAll(/[^\p{L}\p{N}._ -]/gu, '_');
  return /^\.*$/.test(safe) ? `artifact${ending}` : safe.slice(0, 200);
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 1; taken.has(free); number += 1) free = `${String(number)}-${name}`;
  taken.add(free);
  return free;
}

function stateOf(text: string): TaskState {
  const wanted = text.toUpperCase().replaceAll('-', '_');
  const found = TASK_STATES.find((state) => state === wanted || state === `TASK_STATE_${wanted}`);
  if (found === undefined)
    throw usageError(`--status is one of ${TASK_STATES.map((one) => one.slice(11).toLowerCase()).join(', ')}`);
  return found;
}

/** A whole number from 0. */
function countOf(value: unknown, flag: string): number {
  const text = String(value);
  if (!/^\d{1,6}$/.test(text)) throw usageError(`${flag} must be a whole number: ${text}`);
  return Number(text);
}
