import { type ChildProcess, fork } from 'node:child_process';
import type { FromSandbox, ToSandbox } from './sandbox-message.js';

/** Options of sandboxes. */
export interface SandboxOptions {
  /** The program, compiled. */
  readonly entry: URL;
  /** JavaScript memory of one sandbox, in MiB; a skill that needs more is ended. */
  readonly memoryMb: number;
  /** Time for an aborted skill to end by itself, in milliseconds; then its process is killed. */
  readonly graceMs: number;
  /** Additional flags of Node. */
  readonly flags?: readonly string[];
}

export const SANDBOX_DEFAULTS: SandboxOptions = {
  entry: new URL('./sandbox-entry.js', import.meta.url),
  memoryMb: 512,
  graceMs: 2_000,
};

/** Characters of a sandbox's stderr kept for the log. */
const KEPT_CHARACTERS = 2_000;

type Result = Extract<FromSandbox, { kind: 'event' | 'done' | 'threw' }>;

/** The process of one sandbox. It gets none of the service's environment variables. */
export class SandboxProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<void>;
  private readonly listeners = new Set<(message: FromSandbox) => void>();
  private complaint = '';
  private exit: string | undefined;

  constructor(private readonly options: SandboxOptions) {
    this.child = fork(options.entry, [], {
      env: {},
      execArgv: ['--enable-source-maps', `--max-old-space-size=${options.memoryMb}`, ...(options.flags ?? [])],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.child.stderr?.on('data', (text: Buffer) => {
      this.complaint = (this.complaint + text.toString()).slice(-KEPT_CHARACTERS);
    });
    this.child.on('message', (message: FromSandbox) => {
      for (const listener of this.listeners) {
        listener(message);
      }
    });
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        this.exit ??= how;
        resolve();
      };
      this.child.once('error', (error) => end(error.message));
      this.child.once('close', (code, signal) => end(signal ?? `exit code ${code ?? 'unknown'}`));
    });
  }

  listen(listener: (message: FromSandbox) => void): void {
    this.listeners.add(listener);
  }

  /** Has no effect when the process is gone. */
  send(message: ToSandbox): void {
    if (this.child.connected) {
      this.child.send(message, () => undefined);
    }
  }

  /** Requests the next event of the skill. Throws when the process ends first. */
  async next(): Promise<Result> {
    const result = new Promise<Result>((resolve) => {
      const take = (message: FromSandbox): void => {
        if (message.kind === 'event' || message.kind === 'done' || message.kind === 'threw') {
          this.listeners.delete(take);
          resolve(message);
        }
      };
      this.listen(take);
    });
    this.send({ kind: 'next' });
    const first = await Promise.race([result, this.ended]);
    if (first === undefined) {
      throw new Error(`The sandbox ended before its skill did (${this.exit ?? 'gone'}). ${this.complaint}`.trim());
    }
    return first;
  }

  /** Lets the skill end by itself, then kills the process. */
  abort(reason: string): void {
    this.send({ kind: 'abort', reason });
    const killing = setTimeout(() => this.child.kill('SIGKILL'), this.options.graceMs);
    void this.ended.then(() => clearTimeout(killing));
  }

  /** Ends the process at once. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
