import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ToolProcess } from '../../../src/mcp-tools/stdio/tool-process.js';
import { eventually } from '../../kit/run/eventually.js';
import { stdioBench, textOf } from '../../kit/mcp-tools/stdio-bench.js';
import type { ToolBench } from '../../kit/mcp-tools/tool-bench.js';

Logger.overrideLogger(false);

let bench: ToolBench | undefined;

afterEach(async () => {
  await bench?.close();
});

const aBench = (transport?: Parameters<typeof stdioBench>[0]): ToolBench => (bench = stdioBench(transport));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe(ToolProcess.name, () => {
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
    const worker = fork(fileURLToPath(new URL('../../kit/mcp-tools/stdio-worker.mjs', import.meta.url)), [
      process.execPath,
    ]);
    const pid = await new Promise<number>((resolve) => worker.once('message', (message) => resolve(Number(message))));
    expect(isAlive(pid)).toBe(true);
    worker.kill('SIGKILL');
    await eventually(() => expect(isAlive(pid)).toBe(false), { timeoutMs: 2000 });
  });
});
