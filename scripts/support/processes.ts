import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';

const END_MS = 20_000;

/** Processes of a check, each with a log in one folder. The last one started ends first. */
export class Processes {
  private readonly running: { readonly name: string; readonly child: ChildProcess }[] = [];

  constructor(readonly folder: string) {}

  start(name: string, program: string, words: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
    const log = openSync(this.logOf(name), 'a');
    const child = spawn(program, words, { stdio: ['ignore', log, log], env });
    child.on('error', (error) => {
      console.error(`${program}: ${error.message}`);
    });
    this.running.push({ name, child });
  }

  logOf(name: string): string {
    return join(this.folder, `${name}.log`);
  }

  /** @throws when one has ended, with the name of its log */
  assertRunning(): void {
    const ended = this.running.find(({ child }) => hasEnded(child));
    if (ended !== undefined) throw new Error(`${ended.name} has ended: see ${this.logOf(ended.name)}`);
  }

  /** Ends them, also those that a failed start left behind. */
  async stop(): Promise<void> {
    for (const { child } of this.running.splice(0).reverse()) await ended(child);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await exit;
  clearTimeout(late);
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}
