import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
/** Far longer than a start takes: a machine that is busy needs minutes, and a process that has ended is seen at once. */
const START_MS = 300_000;
const STOP_MS = 10_000;

/**
 * The built service as a process of its own, on a free port. Variables of the caller's environment that the service
 * reads do not reach it, only those given here.
 */
export class ServiceProcess {
  /** @type {string[]} */
  output = [];

  /**
   * @param {Record<string, string>} variables
   * @param {string} program a start of the service other than its own
   * @param {{ group: string, flags: readonly string[] } | undefined} container flags of Node, and the file `cgroup.procs` of
   *   a control group in which it runs from its first byte on
   */
  constructor(variables = {}, program = MAIN, container = undefined) {
    const { PATH = '', HOME = '' } = process.env;
    const command = [process.execPath, ...(container?.flags ?? []), program];
    const joining = ['sh', '-c', 'echo $$ > "$0" && exec "$@"', container?.group ?? '', ...command];
    const [file = '', ...args] = container === undefined ? command : joining;
    this.child = spawn(file, args, {
      env: { PATH, HOME, PORT: '0', LOG_LEVEL: 'warn', ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** @type {Promise<number | null>} */
    this.exited = new Promise((resolve) => this.child.once('exit', (code) => resolve(code)));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        this.output.push(line);
        this.child.emit('line', line);
      });
    }
  }

  /** Resolves with the address that the service names, once it is up. Rejects with its output when it ends. */
  async ready() {
    /** @type {Promise<string>} */
    const named = new Promise((resolve) => {
      const look = (/** @type {string} */ line) => {
        const address = addressIn(line);
        if (address !== undefined) resolve(address);
      };
      this.output.forEach(look);
      this.child.on('line', look);
    });
    const ended = this.exited.then((code) => {
      throw new Error(`The service ended with ${code}:\n${this.output.join('\n')}`);
    });
    return Promise.race([named, ended, late(START_MS, 'The service did not start')]);
  }

  /** @param {NodeJS.Signals} signal */
  async stop(signal = 'SIGTERM') {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    this.child.kill(signal);
    return Promise.race([
      this.exited,
      late(STOP_MS, 'The service did not stop').catch((error) => {
        this.child.kill('SIGKILL');
        throw error;
      }),
    ]);
  }
}

/**
 * The address in the line that says that the service has started.
 * @param {string} line
 * @returns {string | undefined}
 */
export function addressIn(line) {
  if (!line.includes('"event":"service.started"')) return undefined;
  return JSON.parse(line).address;
}

/** @returns {Promise<never>} */
function late(ms, what) {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`${what} within ${ms / 1000} s`)), ms).unref();
  });
}
