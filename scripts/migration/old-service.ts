import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freeLoopbackPort } from '../../src/platform/redis/embedded/free-port.js';
import { eventually } from '../../test/kit/eventually.js';

const PROGRAM = fileURLToPath(new URL('schema-2-service.mjs', import.meta.url));

/** A process of the service of schema 2. */
export class OldService {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** Resolves when it is ready. @param checkout its folder, built */
  static async start(checkout: string, variables: Readonly<Record<string, string>>): Promise<OldService> {
    const port = await freeLoopbackPort();
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [PROGRAM, checkout], {
      env: { PATH, HOME, PORT: String(port), LOG_LEVEL: 'warn', ...variables },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    createInterface({ input: child.stderr }).on('line', (line) => process.stderr.write(`old service: ${line}\n`));
    process.once('exit', () => child.kill('SIGKILL'));
    const url = `http://127.0.0.1:${String(port)}`;
    const service = new OldService(child, url);
    await eventually(() => fetch(`${url}/health/live`), { timeoutMs: 30_000 });
    return service;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    await exit;
  }
}
