import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A helper process of the benchmark: takes an order by message and answers with its result, one at a time. */
export class WorkerProcess {
  private readonly child: ChildProcess;

  /** @param program a file of this folder */
  constructor(program: string) {
    this.child = fork(fileURLToPath(new URL(program, import.meta.url)), { execArgv: [] });
    const endWithUs = (): void => void this.child.kill('SIGKILL');
    process.once('exit', endWithUs);
    this.child.once('exit', () => process.removeListener('exit', endWithUs));
  }

  /** @throws what the helper threw */
  async do<T>(order: object): Promise<T> {
    const answer = once(this.child, 'message');
    this.child.send(order);
    const [{ result, error }] = (await answer) as [{ result?: T; error?: string }];
    if (result === undefined) throw new Error(error ?? 'The helper process gave no answer');
    return result;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
