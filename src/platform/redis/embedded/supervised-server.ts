import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DataFolderLock } from './data-folder-lock.js';

/** A server to run: program, arguments, and complete environment. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const SUPERVISOR = fileURLToPath(new URL('./supervisor.mjs', import.meta.url));
/** Longer than the supervisor gives the server to end. */
const STOP_TIMEOUT_MS = 10_000;

/**
 * A server under a supervisor process that ends it when this process has gone, even by SIGKILL. Both are in a process
 * group of their own: a Ctrl-C in the terminal reaches only this process, which still needs its Redis to shut down.
 */
export class SupervisedServer {
  private readonly supervisor: ChildProcess;
  /** Output of the last started server. */
  readonly logFile: string;
  /** Resolves when supervisor and server have ended. */
  readonly ended: Promise<void>;

  /** Starts the server in `folder`. From here on the lock belongs to the supervisor. */
  constructor(folder: string, server: ServerCommand, lock: DataFolderLock) {
    this.logFile = join(folder, 'redis.log');
    const log = openSync(this.logFile, 'w', 0o600);
    const order = JSON.stringify({ ...server, lockFile: lock.file, lockToken: lock.token });
    this.supervisor = spawn(process.execPath, [SUPERVISOR, order], {
      cwd: folder,
      detached: true,
      windowsHide: true,
      stdio: ['pipe', log, log],
      // Neither the service's secrets nor its NODE_OPTIONS are for its Redis.
      env: {},
    });
    closeSync(log);
    this.ended = once(this.supervisor, 'exit').then(
      () => undefined,
      () => undefined,
    );
    this.releaseEventLoop();
  }

  get hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.supervisor;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** The server's last output, for an error message. */
  async lastWords(): Promise<string> {
    const lines = (await readFile(this.logFile, 'utf8').catch(() => '')).trim().split('\n');
    return (lines.findLast((line) => /error|fatal|can't|could not|bad/i.test(line)) ?? lines.at(-1) ?? '').trim();
  }

  /** Announces when this process will end it, so that another service waits for the folder instead of giving up. */
  announceEnd(withinMs: number): void {
    this.supervisor.stdin?.write(`${String(Date.now() + withinMs)}\n`);
  }

  /** Ends the server after it has written its data; resolves when it has gone. */
  async stop(): Promise<void> {
    this.supervisor.ref();
    this.supervisor.stdin?.end();
    const kill = setTimeout(() => this.kill(), STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(kill);
  }

  /** Lets an otherwise idle service exit although its Redis runs. */
  private releaseEventLoop(): void {
    const { stdin } = this.supervisor;
    stdin?.on('error', () => undefined);
    if (stdin instanceof Socket) stdin.unref();
    this.supervisor.unref();
  }

  private kill(): void {
    const { pid } = this.supervisor;
    // The supervisor leads its group: the negative id means it and its server.
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }
}
