import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { addressIn } from '../../../test/kit/app/service-process.mjs';

const START_MS = 60_000;
const STOP_MS = 10_000;

/** Memory of a process, in bytes (memory.mjs). */
export interface Memory {
  readonly resident: number;
  readonly heap: number;
}

/** A process that serves HTTP and says where in a line `service.started`: our service does, and so does the peer. */
export class ServerProcess {
  private readonly words: string[] = [];
  private readonly ended: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'exit');
    const endWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('exit', () => process.removeListener('exit', endWithUs));
  }

  /** Starts a program, by its URL from this folder, with nothing of our environment but `variables`. */
  static async start(
    program: string,
    variables: Readonly<Record<string, string>>,
    nodeOptions: readonly string[] = [],
  ): Promise<ServerProcess> {
    const { PATH = '', HOME = '' } = process.env;
    const child = fork(fileURLToPath(new URL(program, import.meta.url)), {
      env: { PATH, HOME, ...variables },
      execArgv: ['--expose-gc', ...nodeOptions],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const server = new ServerProcess(child);
    await server.ready();
    return server;
  }

  url = '';

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** After a garbage collection. */
  async memory(): Promise<Memory> {
    const answer = once(this.child, 'message');
    this.child.send('memory');
    const [{ memory }] = (await answer) as [{ memory: Memory }];
    return memory;
  }

  /** Ends the process in order, or, when it takes too long, at once. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(late);
  }

  private async ready(): Promise<void> {
    const named = new Promise<void>((resolve) => {
      for (const stream of [this.child.stdout, this.child.stderr]) {
        if (stream === null) continue;
        createInterface({ input: stream }).on('line', (line) => {
          this.read(line);
          if (this.url !== '') resolve();
        });
      }
    });
    const late = setTimeout(() => this.child.kill('SIGKILL'), START_MS);
    const ended = this.ended.then(() => {
      throw new Error(`A server did not start:\n${this.words.join('\n')}`);
    });
    await Promise.race([named, ended]);
    clearTimeout(late);
    ended.catch(() => undefined);
  }

  private read(line: string): void {
    this.words.push(line);
    if (this.words.length > 40) this.words.shift();
    this.url ||= addressIn(line) ?? '';
  }
}
