import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from '../client/stdio-peer.js';
import { ToolError } from '../client/tool-error.js';
import type { StdioTransport } from '../settings/server-file.js';

const SUPERVISOR = fileURLToPath(new URL('./supervisor.mjs', import.meta.url));
/** Bytes of a server's standard error kept for an error message. */
const LAST_WORDS = 2000;
/** Time for a server to end by itself after its input has ended. */
const LEAVE_MS = 2000;

/**
 * A tool server as a process of this machine, under a supervisor that kills its whole group when this process has gone,
 * even by SIGKILL. Its environment comes from the operator's file only.
 */
export class ToolProcess implements ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  readonly ended: Promise<string>;
  private words = '';
  private readonly lifeline: Writable;

  /** @throws ToolError unsent */
  constructor(transport: StdioTransport) {
    const { command, args, cwd = '/', env, memoryMb, processes } = transport;
    const order = JSON.stringify({ command, args, cwd, env, memoryMb, processes });
    const supervisor: ChildProcess = spawn(process.execPath, [SUPERVISOR, order], {
      ...{ cwd, env: {}, detached: true, windowsHide: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] },
    });
    const { stdin, stdout, stderr } = supervisor;
    const [, , , lifeline] = supervisor.stdio;
    if (stdin === null || stdout === null || stderr === null || !isWritable(lifeline)) {
      throw new ToolError('unsent', 'Its process has no pipes');
    }
    [this.input, this.output, this.lifeline] = [stdin, stdout, lifeline];
    for (const pipe of [stdin, lifeline]) pipe.on('error', () => undefined);
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.words = (this.words + text).slice(-LAST_WORDS);
    });
    this.ended = endOf(supervisor).then(() => this.lastWords());
  }

  async stop(): Promise<void> {
    this.input.end();
    const kill = setTimeout(() => this.lifeline.destroy(), LEAVE_MS);
    await this.ended;
    clearTimeout(kill);
  }

  /** The last line without possible secrets: only lines of the supervisor are shown. */
  private lastWords(): string {
    const lines = this.words.trim().split('\n');
    return lines.findLast((line) => line.startsWith('The tool server ')) ?? '';
  }
}

async function endOf(supervisor: ChildProcess): Promise<void> {
  await once(supervisor, 'close').catch(() => undefined);
}

function isWritable(stream: unknown): stream is Writable {
  return typeof stream === 'object' && stream !== null && 'write' in stream;
}
