import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { deadline } from './deadline.js';

/** Longer than any cell takes; a client that waits for ever fails its cell. */
const CALL_MS = 30_000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A program that drives a client: it answers `{operation, args}` by `{value}` or `{error}`, a line each. */
export class ProcessDriver {
  private started: { readonly child: Child; readonly lines: AsyncIterator<string, unknown> } | undefined;
  private complaints = '';

  constructor(private readonly command: readonly [string, ...string[]]) {}

  /** One call of the client. Rejects with the client's own words; a program that does not answer is started anew. */
  async call(operation: string, args: readonly unknown[]): Promise<unknown> {
    this.started ??= this.start();
    const { child, lines } = this.started;
    child.stdin.write(`${JSON.stringify({ operation, args })}\n`);
    const next = await deadline(lines.next(), CALL_MS, `${operation} did not return`).catch(async (error: unknown) => {
      await this.close();
      throw error;
    });
    if (next.done === true) throw new Error(`The driver has ended: ${this.complaints}`);
    const { value, error } = JSON.parse(next.value) as { readonly value?: unknown; readonly error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  }

  async close(): Promise<void> {
    const child = this.started?.child;
    this.started = undefined;
    // Neither code nor signal: it is still there.
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  private start(): { readonly child: Child; readonly lines: AsyncIterator<string, unknown> } {
    const [program, ...args] = this.command;
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.complaints = (this.complaints + text).slice(-2_000);
    });
    // A program that is not there, or has ended, shows in its missing answer.
    child.on('error', (error) => (this.complaints += error.message));
    child.stdin.on('error', () => undefined);
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  }
}
