import { type Command, Option } from 'commander';
import { processVariables } from './process-variables.js';
import { printable } from '@parley/protocol/json/printable.js';
import { CliError, localError } from './cli-error.js';
import { Output, type Streams } from './output.js';
import { Session } from './session.js';
import { shellWord } from './shell-word.js';
import { type Flags, Settings, SETTINGS } from './settings.js';
import { TokenFiles } from './token-files.js';

/** Surroundings of a caller's command. */
export interface CommandContext {
  readonly settings: Settings;
  readonly session: Session;
  readonly output: Output;
  readonly flags: Flags;
  readonly streams: Surroundings;
}

/** Outputs and environment of a program; tests replace them. */
export interface Surroundings extends Streams {
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
  readonly home?: string;
  readonly isTerminal: boolean;
  /** Input of `chat`. */
  readonly input: NodeJS.ReadableStream;
}

const PROCESS: Surroundings = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY && process.stdin.isTTY,
  input: process.stdin,
};

let surroundings = PROCESS;

/** The surroundings of the commands: the process, but in tests. Whatever is printed passes here, and a terminal obeys none of it. */
export function surroundingsOf(): Surroundings {
  const { out, err } = surroundings;
  return { ...surroundings, out: (text) => out(printable(text)), err: (text) => err(printable(text)) };
}

/** Runs `work` in other surroundings (tests). */
export async function within<T>(other: Surroundings, work: () => Promise<T>): Promise<T> {
  surroundings = other;
  try {
    return await work();
  } finally {
    surroundings = PROCESS;
  }
}

/** Adds the options that every command of a caller has. */
export function callerCommand(command: Command): Command {
  return command
    .option(
      '-a, --agent-card <ref>',
      'the agent: a host, the URL of its card, a file, or urn:air:… with A2ACLI_REGISTRY',
    )
    .option('-o, --output <format>', `text or json (default: ${SETTINGS.output})`)
    .option(
      '--transport <binding>',
      'jsonrpc or http+json; repeat it in order of preference (default: as the card prefers)',
      collect,
    )
    .option('--a2a-version <version>', 'version of the protocol (default: the newest of both sides, never below 1.0)')
    .option('--bearer <token>', 'bearer token; visible to other processes and in the history: prefer A2ACLI_BEARER')
    .option('--api-key <key>', 'API key; visible to other processes and in the history: prefer A2ACLI_API_KEY')
    .option('--client-cert <path>', 'certificate for mutual TLS, PEM')
    .option('--client-key <path>', 'its private key, PEM')
    .option('--svc-param <k:v>', 'a service parameter, sent as a header; repeatable', collect)
    .option('--insecure', 'do not verify certificates (development only; default: verify)')
    .option('--config <path>', 'a file of settings in place of the .env of the folder')
    .option('--profile <name>', '~/.config/a2a-cli/<name>.env in place of the .env of the folder')
    .option('--verbose', 'show everything that was exchanged (default: concise)')
    .option('--debug', 'log the exchange with the agent to stderr, without credentials');
}

/** Adds the options of waits. */
export function waitingCommand(command: Command): Command {
  return command
    .option('--wait', 'wait until the task ends or needs you')
    .option('--poll-interval <duration>', `time between two polls of a task (default: ${SETTINGS['poll-interval']})`)
    .option('--timeout <duration>', `longest wait (default: ${SETTINGS.timeout})`);
}

export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

/** An alias that the help does not show. */
export function hiddenOption(flags: string, parse?: (value: string) => unknown): Option {
  const option = new Option(flags).hideHelp();
  return parse === undefined ? option : option.argParser(parse);
}

/** Runs a command: whatever fails is printed in the form that was asked for, and sets the exit status. */
export async function run(command: Command, work: (context: CommandContext) => Promise<void>): Promise<void> {
  const flags: Flags = command.opts();
  const streams = surroundingsOf();
  let output = new Output(streams, { ...outputOptions(flags, 'text') });
  let session: Session | undefined;
  try {
    const { variables = processVariables(), folder = process.cwd(), home } = streams;
    const settings = new Settings(flags, {
      ...{ variables, folder, ...(home === undefined ? {} : { home }) },
      ...{ config: textOf(flags.config), profile: textOf(flags.profile) },
    });
    output = new Output(streams, { ...outputOptions(flags, formatOf(settings)), isVerbose: settings.isOn('verbose') });
    session = new Session(settings, new TokenFiles(home), (line) => output.note(line));
    await work({ settings, session, output, flags, streams });
  } catch (error) {
    const failure = session?.failed(error) ?? error;
    const shown = failure instanceof CliError ? failure : unexpected(failure);
    output.failure(shown);
    process.exitCode = shown.exit;
  }
}

function outputOptions(flags: Flags, format: 'text' | 'json') {
  const agent = textOf(flags.agentCard);
  const resume = `parley send${agent === undefined ? '' : ` --agent-card ${shellWord(agent)}`}`;
  return { format, isStream: flags.stream === true, isVerbose: false, resume };
}

function formatOf(settings: Settings): 'text' | 'json' {
  const format = settings.text('output');
  if (format === 'text' || format === 'json') return format;
  throw new CliError('A2ACLI_ERR_USAGE', `--output is text or json, not ${String(format)}`, 2);
}

function unexpected(error: unknown): CliError {
  return localError('A2ACLI_ERR_INTERNAL', error instanceof Error ? error.message : String(error));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
