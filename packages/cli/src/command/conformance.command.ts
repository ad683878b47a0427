import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { EXIT, usageError } from '../context/cli-error.js';
import { callerCommand, type CommandContext, run } from '../context/command-context.js';
import { field } from '../context/output.js';

/** Result of the TCK's tests of the agent. */
interface Verdict {
  readonly agent: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The tests that failed, by the names that pytest gives them. */
  readonly failures: readonly string[];
}

/** `parley conformance`: checks a live agent with a checkout of the A2A TCK (a2a-cli specification §7.1). */
export function conformanceCommand(program: Command): void {
  const command = callerCommand(program.command('conformance'))
    .description('checks a live agent with the tests of the A2A TCK')
    .requiredOption('--tck <path>', 'a checkout of a2aproject/a2a-tck, branch 1.0-dev, with its packages in .venv')
    .option('--tests <expression>', 'only the tests whose names match (default: all of tests/compatibility)');
  command.action(() => run(command, check));
}

async function check({ session, flags, output }: CommandContext): Promise<void> {
  const { url } = await session.card();
  if (!URL.canParse(url)) throw usageError('The TCK tests an agent at an address: name its host or URL');
  const agent = new URL(url).origin;
  const verdict = await judged(agent, resolve(String(flags.tck)), flags.tests);
  output.document(verdict, () => [
    field('Agent', verdict.agent),
    field('Passed', String(verdict.passed)),
    field('Failed', String(verdict.failed)),
    field('Skipped', String(verdict.skipped)),
    ...verdict.failures.map((name) => field('Failure', name)),
  ]);
  if (verdict.failed > 0) process.exitCode = EXIT.failure;
}

async function judged(agent: string, folder: string, tests: unknown): Promise<Verdict> {
  const only = typeof tests === 'string' ? ['-k', tests] : [];
  const args = ['-m', 'pytest', 'tests/compatibility', `--sut-host=${agent}`, '-q', '--no-header', '-rfE', ...only];
  const child = spawn(join(folder, '.venv/bin/python'), args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'error').then(([error]: unknown[]) => {
    throw usageError(`The TCK cannot be run in ${folder}: ${String(error)}`);
  });
  const [out, err] = await Promise.race([Promise.all([text(child.stdout), text(child.stderr)]), gone]);
  const summary = /^.*\b(?:passed|failed|skipped|errors?)\b.* in [\d.]+s.*$/m.exec(out)?.[0];
  if (summary === undefined) throw usageError(`The TCK has run no test: ${(err || out).trim().slice(-500)}`);
  const failures = [...out.matchAll(/^(?:FAILED|ERROR) (\S+)/gm)].map(([, name = '']) => name);
  return {
    ...{ agent, passed: counted(summary, 'passed'), skipped: counted(summary, 'skipped'), failures },
    failed: counted(summary, 'failed') + counted(summary, 'errors?'),
  };
}

function counted(summary: string, what: string): number {
  return Number(new RegExp(`(\\d+) ${what}\\b`).exec(summary)?.[1] ?? 0);
}
