// npm run interop -- mcp [--python python3]: the official MCP clients, in pinned versions, against the built service with the
// fixtures of the conformance suite: TypeScript 2.x (negotiating, pinned, with sessions) and 1.x, Python. Exits with 1 if a cell
// fails.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';
import { CELLS } from '../../test/mcp/clients/cells.mjs';
import { npmPackages, pythonPackage } from './toolbox.mjs';

const PACKAGES = ['@modelcontextprotocol/client@2.4.0', '@modelcontextprotocol/sdk@1.32.2'];
const PYTHON = ['mcp', '2.3.0'];
const CLIENT_MS = 60_000;
const PROGRAM = fileURLToPath(new URL('../../test/mcp/service.mjs', import.meta.url));
const TYPESCRIPT = fileURLToPath(new URL('../../test/mcp/clients/typescript.mjs', import.meta.url));
const PYTHON_CLIENT = fileURLToPath(new URL('../../test/mcp/clients/python_client.py', import.meta.url));

const { values } = parseArgs({ options: { python: { type: 'string', default: 'python3' } } });
const folder = await npmPackages('clients', PACKAGES);
const python = await pythonPackage(values.python, ...PYTHON);
const typescript = (mode) => [process.execPath, TYPESCRIPT, folder, mode];
const CLIENTS = [
  ['TypeScript client 2.4.0, negotiating', typescript('auto')],
  ['TypeScript client 2.4.0, 2026-07-28', typescript('pinned')],
  ['TypeScript client 2.4.0, with a session', typescript('legacy')],
  ['TypeScript sdk 1.32.2', typescript('sdk')],
  ['Python mcp 2.3.0, negotiating', [python, '-B', PYTHON_CLIENT, 'auto']],
  ['Python mcp 2.3.0, with a session', [python, '-B', PYTHON_CLIENT, 'legacy']],
];

const data = await mkdtemp(join(tmpdir(), 'parley-mcp-'));
const settings = { MCP: 'true', AUDIT_LOG: '/dev/null', DATA_DIR: data };
const service = new ServiceProcess({ ...settings, LOG_LEVEL: 'info' }, PROGRAM);
let failed = 0;
try {
  const url = await service.ready();
  for (const [name, command] of CLIENTS) {
    const { cells, complaints } = await run([...command, url]);
    const failures = cells.filter(({ failure }) => failure != null);
    const passed = cells.length - failures.length;
    if (passed < CELLS.length) failed += 1;
    console.log(`${name}: ${passed} of ${CELLS.length} cells pass`);
    for (const cell of failures) console.log(`  ${cell.name}: ${cell.failure}`);
    if (cells.length === 0) console.log(complaints.slice(-1000));
  }
} finally {
  await service.stop('SIGINT');
  await rm(data, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

/** The cells that a client prints, a line each. */
function run([program, ...args]) {
  const child = spawn(program, args, { timeout: CLIENT_MS });
  let [output, complaints] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (complaints += text));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ cells: [], complaints: error.message }));
    child.once('close', () => {
      const lines = output.split('\n').filter((line) => line.startsWith('{'));
      resolve({ cells: lines.map((line) => JSON.parse(line)), complaints });
    });
  });
}
