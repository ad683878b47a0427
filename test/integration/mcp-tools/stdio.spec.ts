import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ToolProcess } from '../../../src/mcp-tools/stdio/tool-process.js';
import { stdioBench, textOf } from '../../kit/mcp-tools/stdio-bench.js';
import type { ToolBench } from '../../kit/mcp-tools/tool-bench.js';

Logger.overrideLogger(false);

let bench: ToolBench | undefined;

const aBench = (transport?: Parameters<typeof stdioBench>[0]): ToolBench => (bench = stdioBench(transport));

describe(ToolProcess.name, () => {
  afterEach(async () => {
    await bench?.close();
  });

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
});
