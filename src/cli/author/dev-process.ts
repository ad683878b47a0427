import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DevReady, DevStart } from './dev-message.js';
import { TYPESCRIPT_FLAGS } from './typescript-runtime.js';

const PROGRAM = fileURLToPath(new URL('./dev-service.js', import.meta.url));

/** A process of `parley dev`: first it loads modules, then it is the service. */
export class DevProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor() {
    this.child = fork(PROGRAM, { execArgv: [...TYPESCRIPT_FLAGS] });
    this.ended = once(this.child, 'exit');
    this.child.on('error', () => undefined);
  }

  /** Imports the skills and serves. Undefined if the process ended: it has printed the reason. */
  async start(message: DevStart): Promise<DevReady | undefined> {
    this.child.send(message);
    const ready = once(this.child, 'message').then(([said]) => said as DevReady);
    return Promise.race([ready, this.ended.then(() => undefined)]);
  }

  /** Ends it as Ctrl-C does: runs under way go back to the queue. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGINT');
    await this.ended;
  }
}
