import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { addressIn } from '../../../test/kit/app/service-process.mjs';
import { type Vitals, VitalsLog } from './vitals.js';

const PROGRAM = fileURLToPath(new URL('./service-program.mjs', import.meta.url));
const LAST_LINES = 40;

/** One process of the built service. Loaded ahead of its start, so that a crash can be followed by a start at once. */
export class Service {
  readonly lines: string[] = [];
  /** Figures that it reports of itself with CHAOS_VITALS. */
  readonly vitals: VitalsLog;
  /** The point at which it ends itself, where it has one. */
  readonly killPoint: string | undefined;
  /** Resolves when the process has ended, however it did. */
  readonly ended: Promise<unknown>;
  /** Where it listens, once it does. */
  url: string | undefined;
  private readonly child: ChildProcess;
  private loaded = false;

  constructor(variables: Readonly<Record<string, string>>) {
    const { PATH = '', HOME = '' } = process.env;
    const own = { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', AUDIT_LOG: '/dev/null', CHAOS_STANDBY: '1' };
    this.child = spawn(process.execPath, [PROGRAM], {
      env: { PATH, HOME, ...own, ...variables },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.vitals = new VitalsLog(`${variables.ROLE ?? ''} ${String(this.child.pid)}`);
    this.killPoint = variables.CHAOS_KILL_AT?.split(' ')[0];
    this.ended = once(this.child, 'exit');
    this.child.stdin?.on('error', () => undefined);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.read(line));
    }
    process.once('exit', this.endWithUs);
    this.child.once('exit', () => process.removeListener('exit', this.endWithUs));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Up and running, as far as visible from outside. */
  get isUp(): boolean {
    return this.isAlive && this.url !== undefined;
  }

  get isLoaded(): boolean {
    return this.isAlive && this.loaded;
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  begin(): void {
    this.child.stdin?.write('go\n');
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  private readonly endWithUs = (): void => {
    this.child.kill('SIGKILL');
  };

  private read(line: string): void {
    if (line.startsWith('{"vitals":')) {
      this.vitals.add(Date.now(), (JSON.parse(line) as { vitals: Vitals }).vitals);
      return;
    }
    if (line === 'standby') this.loaded = true;
    this.url ??= addressIn(line);
    this.lines.push(line);
    if (this.lines.length > LAST_LINES) this.lines.shift();
  }
}
