import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DevListen, DevLoaded, DevReady, DevStart } from './dev-message.js';

const PROGRAM = fileURLToPath(new URL('./dev-service.js', import.meta.url));

/** A process of `parley dev`: loads the modules of Parley, then the skills, then serves. */
export class DevProcess {
  private readonly child: ChildProcess;
  /** Resolves with its exit code or signal. */
  readonly ended: Promise<number | string>;

  constructor() {
    this.child = fork(PROGRAM, { execArgv: [] });
    this.ended = once(this.child, 'exit').then(([code, signal]) => (code as number | null) ?? String(signal));
    this.child.on('error', () => undefined);
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /**
   * Imports the skills and creates the service, without listening. False if the process ended; it has printed the
   * reason.
   */
  async load(message: DevStart): Promise<boolean> {
    return (await this.answer<DevLoaded>(message)) !== undefined;
  }

  /** Starts to serve. Undefined if the process ended; it has printed the reason. */
  listen(): Promise<DevReady | undefined> {
    return this.answer<DevReady>({ kind: 'listen' });
  }

  /** Ends it like Ctrl-C: runs in progress return to the queue. */
  async stop(): Promise<void> {
    if (this.isAlive) this.child.kill('SIGINT');
    await this.ended;
  }

  private answer<T>(message: DevStart | DevListen): Promise<T | undefined> {
    const answer = once(this.child, 'message').then(([said]) => said as T);
    if (this.isAlive) this.child.send(message);
    return Promise.race([answer, this.ended.then(() => undefined)]);
  }
}
