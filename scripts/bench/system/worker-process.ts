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

  /** @throws the helper's error, or when it ended */
  async do<T>(order: object): Promise<T> {
    const waits = new AbortController();
    const { signal } = waits;
    const gone = once(this.child, 'exit', { signal }).then(() => [{ error: 'The helper process has ended' }]);
    const answer = once(this.child, 'message', { signal });
    this.child.send(order);
    const [{ result, error }] = (await Promise.race([answer, gone])) as [{ result?: T; error?: string }];
    // Whichever has come, the other one is awaited no longer.
    waits.abort();
    await Promise.allSettled([answer, gone]);
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
