import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ToolOutcome } from '../../../src/skill/tools/skill-tool.js';
import type { StdioTransport, ToolSettings } from '../../../src/tool/server-file.js';
import { ToolProcess } from '../../../src/tool/stdio/tool-process.js';
import { eventually } from '../../kit/eventually.js';
import { aServer, aTool, ToolBench } from '../../kit/tool/tool-bench.js';

Logger.overrideLogger(false);

const SERVER = fileURLToPath(new URL('../../kit/tool/stdio-server.mjs', import.meta.url));
const NAMES = ['env', 'files', 'exit', 'hang', 'eat', 'fork', 'shout', 'pid', 'wait'];

let bench: ToolBench | undefined;

afterEach(async () => {
  await bench?.close();
});

function aBench(transport: Partial<StdioTransport> = {}, terms: Partial<ToolSettings> = {}): ToolBench {
  const tools = NAMES.map((name) =>
    aTool({ name, description: name, inputSchema: { type: 'object' } }, { timeoutMs: 10_000, ...terms }),
  );
  const stdio: StdioTransport = {
    ...{ type: 'stdio', command: process.execPath, args: [SERVER], cwd: undefined, env: { LANG: 'C' } },
    ...{ memoryMb: 512, processes: 16, idleMs: 60_000, ...transport },
  };
  bench = new ToolBench([aServer({ url: '' }, { transport: stdio, tools })]);
  return bench;
}

const textOf = (outcome: ToolOutcome): string =>
  outcome.kind === 'result' ? outcome.result.text : JSON.stringify(outcome);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe(ToolProcess.name, () => {
  it('MCP-SEC-13: has the environment of the file and nothing else, no open file of the worker, and 100 calls at once', async () => {
    process.env.CANARY_SECRET = 'canary';
    const tools = aBench();
    const env = JSON.parse(textOf(await tools.call({}, { tool: 'env' }))) as Record<string, string>;
    delete process.env.CANARY_SECRET;
    expect(env).toEqual({ LANG: 'C' });
    const files = JSON.parse(textOf(await tools.call({}, { tool: 'files' }))) as readonly string[];
    expect(files.filter((file) => /socket:|redis/.test(file)).every((file) => /^[012] /.test(file))).toBe(true);
    const pids = await Promise.all(Array.from({ length: 100 }, () => tools.call({}, { tool: 'pid' })));
    expect(new Set(pids.map(textOf)).size).toBe(1);
  });

  it('is started again after it has ended, and a call that it took is of unknown outcome', async () => {
    const tools = aBench();
    const first = textOf(await tools.call({}, { tool: 'pid' }));
    expect(await tools.call({}, { tool: 'exit' })).toMatchObject({ why: 'unknown-outcome' });
    expect(textOf(await tools.call({}, { tool: 'pid' }))).not.toBe(first);
  });

  it('lives on when a call is canceled, and is told so without a reason', async () => {
    const tools = aBench();
    const controller = new AbortController();
    const hanging = tools.call({}, { tool: 'hang', signal: controller.signal });
    const pid = textOf(await tools.call({}, { tool: 'pid' }));
    controller.abort(new Error('secret reason'));
    await expect(hanging).rejects.toThrow('secret reason');
    expect(textOf(await tools.call({}, { tool: 'wait' }))).toBe(
      JSON.stringify({ canceled: [{ requestId: expect.anything(), reason: 'The request was canceled' }] }).replace(
        /"requestId":\{[^}]*\}/,
        '"requestId":3',
      ),
    );
    expect(textOf(await tools.call({}, { tool: 'pid' }))).toBe(pid);
  });

  it.each([
    ['eats memory', 'eat', { memoryMb: 300 }],
    ['begets processes', 'fork', { processes: 4 }],
    ['writes a line without an end', 'shout', {}],
  ])('MCP-SEC-13, MCP-SEC-12: one that %s is ended, and nothing else', async (_what, tool, limits) => {
    const tools = aBench(limits);
    const pid = Number(textOf(await tools.call({}, { tool: 'pid' })));
    expect(await tools.call({}, { tool })).toMatchObject({ kind: 'failed' });
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });

  it('MCP-SEC-13: ends with its worker, also when that is killed', async () => {
    const worker = fork(fileURLToPath(new URL('../../kit/tool/stdio-worker.mjs', import.meta.url)), [
      process.execPath,
      SERVER,
    ]);
    const pid = await new Promise<number>((resolve) => worker.once('message', (message) => resolve(Number(message))));
    expect(isAlive(pid)).toBe(true);
    worker.kill('SIGKILL');
    await eventually(() => expect(isAlive(pid)).toBe(false), { timeoutMs: 2000 });
  });
});
