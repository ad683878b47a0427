import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parley } from '../../../../test/kit/app/parley-command.js';

let server: Server;
let url: string;
let tck: string;

/** A checkout whose Python prints the output of pytest, and records its arguments. */
async function pytestPrints(text: string, status: number): Promise<void> {
  await writeFile(join(tck, 'said.txt'), text);
  const program = join(tck, '.venv/bin/python');
  await writeFile(program, `#!/bin/sh\necho "$@" > args.txt\ncat said.txt\nexit ${String(status)}\n`);
  await chmod(program, 0o755);
}

beforeAll(async () => {
  server = createServer((_request, response) => {
    const one = { url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    const card = { name: 'a', supportedInterfaces: [one], capabilities: {}, skills: [] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  tck = await mkdtemp(join(tmpdir(), 'parley-tck-'));
  await mkdir(join(tck, '.venv/bin'), { recursive: true });
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(tck, { recursive: true, force: true });
});

const check = (...args: readonly string[]) => parley(['conformance', '-a', url, '--tck', tck, ...args]);

describe('parley conformance', () => {
  it('A2ACLI_CONFORM_001: has the TCK test the agent, and reports the passed and the failed tests', async () => {
    await pytestPrints('.....\n5 passed, 2 skipped in 3.21s\n', 0);
    expect(await check('--tests', 'send')).toMatchObject({
      ...{ code: 0, err: '' },
      out: `Agent: ${url}\nPassed: 5\nFailed: 0\nSkipped: 2\n`,
    });
    const args = await readFile(join(tck, 'args.txt'), 'utf8');
    expect(args).toContain(`-m pytest tests/compatibility --sut-host=${url}`);
    expect(args).toContain('-k send');

    const bad =
      'F.E\nFAILED tests/compatibility/test_a.py::test_b - assert 1\nERROR tests/compatibility/test_c.py::test_d\n';
    await pytestPrints(`${bad}1 failed, 1 passed, 1 error in 0.4s\n`, 1);
    const failed = await check('-o', 'json');
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out)).toEqual({
      ...{ agent: url, passed: 1, failed: 2, skipped: 0 },
      failures: ['tests/compatibility/test_a.py::test_b', 'tests/compatibility/test_c.py::test_d'],
    });
  });

  it('says when there is no TCK, when it ran nothing, and when the agent is not there', async () => {
    await pytestPrints('ERROR: file or directory not found: tests/compatibility\n', 4);
    expect(await check()).toMatchObject({ code: 2, err: expect.stringContaining('has run no test') });
    const nowhere = await parley(['conformance', '-a', url, '--tck', join(tck, 'nowhere')]);
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining('cannot be run') });
    expect(await parley(['conformance', '-a', 'http://127.0.0.1:9', '--tck', tck])).toMatchObject({ code: 3 });
    expect(await parley(['conformance', '-a', url])).toMatchObject({ code: 2 });
  });
});
