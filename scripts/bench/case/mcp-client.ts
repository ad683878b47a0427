import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import { Pool } from 'undici';
import { STDIO_SERVER, stdioBench } from '../../../test/kit/mcp-tools/stdio-bench.js';
import { aServer, aTool, ToolBench } from '../../../test/kit/mcp-tools/tool-bench.js';
import { ECHO_TOOL, ToolServerStub } from '../../../test/kit/mcp-tools/tool-server-stub.js';
import { percentile } from '../../chaos/check/figures.js';
import type { BenchCase } from '../bench-case.js';
import { Rounds } from '../report/rounds.js';
import { rpcBody } from '../load/rpc.js';

const LOADER = fileURLToPath(new URL('../load/tool-client-load.mjs', import.meta.url));
const CALLS = { usual: 1_000, quick: 100 };
const AT_ONCE = 100;

const title = 'a call of a tool, one after the other';
const OVER_HTTP = 'over HTTP, beyond the same request by undici, p50, ms';
const OVER_STDIO = 'over stdio, beyond the same lines on a pipe, p50, ms';
const AT_ONCE_MS = `${String(AT_ONCE)} calls at once over one stdio server, ms`;
const LOADED_MS = 'loading the tool client into a worker, ms';
const LOADED_MIB = 'loading the tool client into a worker, MiB';

/** An action done once, whose result is unused. */
type Once = () => Promise<unknown>;

/** Cost of the tool client: beyond a bare request, and for a worker whose skills call no tools. */
export const mcpClient: BenchCase = {
  name: 'mcp-client',
  what: 'what the tool client adds to a call over HTTP and over stdio, and to a worker without tools',
  goals: [
    { case: title, figure: OVER_HTTP, system: 'parley', atMost: 1 },
    { case: title, figure: OVER_STDIO, system: 'parley', atMost: 0.5 },
    { case: title, figure: LOADED_MS, system: 'parley', atMost: 20 },
    { case: title, figure: LOADED_MIB, system: 'parley', atMost: 5 },
  ],

  async run({ effort }) {
    Logger.overrideLogger(false);
    const rounds = new Rounds(title);
    const calls = CALLS[effort.quick ? 'quick' : 'usual'];
    const stub = await new ToolServerStub().start();
    const http = new ToolBench([aServer(stub, { tools: [aTool()] })]);
    const stdio = stdioBench({}, AT_ONCE);
    const [bareHttp, bareStdio] = [bareRequest(stub), barePipe()];
    const onStdio = (): Promise<unknown> => stdio.call({}, { tool: 'pid' });
    try {
      for (let round = 0; round < effort.rounds; round += 1) {
        rounds.add(OVER_HTTP, 'parley', await beyond(() => http.call(), bareHttp.once, calls));
        rounds.add(OVER_STDIO, 'parley', await beyond(onStdio, bareStdio.once, calls));
        const began = performance.now();
        await Promise.all(Array.from({ length: AT_ONCE }, onStdio));
        rounds.add(AT_ONCE_MS, 'parley', performance.now() - began);
        const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', LOADER]);
        const loaded = JSON.parse(stdout) as { readonly ms: number; readonly mib: number };
        rounds.add(LOADED_MS, 'parley', loaded.ms);
        rounds.add(LOADED_MIB, 'parley', loaded.mib);
      }
    } finally {
      bareStdio.end();
      await Promise.all([http.close(), stdio.close(), bareHttp.end()]);
      await stub.stop();
    }
    return rounds.measures;
  },
};

/** Does both in turn, and gives by how much the first takes longer (medians), ms. */
async function beyond(ours: Once, bare: Once, times: number): Promise<number> {
  const took: { readonly ours: number[]; readonly bare: number[] } = { ours: [], bare: [] };
  for (let at = 0; at < times; at += 1) {
    took.ours.push(await msOf(ours));
    took.bare.push(await msOf(bare));
  }
  return percentile(took.ours, 0.5) - percentile(took.bare, 0.5);
}

async function msOf(once: Once): Promise<number> {
  const began = performance.now();
  await once();
  return performance.now() - began;
}

/** The request that the client sends, by undici alone. */
function bareRequest(stub: ToolServerStub): { readonly once: Once; readonly end: () => Promise<void> } {
  const pool = new Pool(`http://${stub.host}`);
  const body = JSON.stringify(rpcBody('tools/call', { name: ECHO_TOOL.name, arguments: { text: 'hello' } }));
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return {
    once: async () => (await pool.request({ path: '/mcp', method: 'POST', headers, body })).body.json(),
    end: () => pool.close(),
  };
}

/** The same server on a pipe without a client. */
function barePipe(): { readonly once: Once; readonly end: () => void } {
  const child = spawn(process.execPath, [STDIO_SERVER], { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const text = JSON.stringify(rpcBody('tools/call', { name: 'pid', arguments: {} }));
  return {
    once: async () => {
      child.stdin.write(`${text}\n`);
      return lines.next();
    },
    end: () => void child.kill('SIGKILL'),
  };
}
