// npm run interop -- mcp-tools [--python python3]: the tool client of the built service against servers of others, in pinned versions:
// server-everything and server-filesystem (sessions, stdio and HTTP), the official TypeScript server (stateless) and the Python
// one. Exits with 1 if a cell fails.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { freePort } from '../../test/kit/run/free-port.mjs';
import { ToolClient } from '../../test/mcp/tool-client.mjs';
import { npmPackages, pythonPackage } from './toolbox.mjs';

const PACKAGES = [
  '@modelcontextprotocol/server-everything@2026.8.31',
  '@modelcontextprotocol/server-filesystem@2026.8.31',
  '@modelcontextprotocol/server@2.4.0',
  '@modelcontextprotocol/node@2.1.2',
];
const READY_MS = 20_000;

Logger.overrideLogger(false);
const { values } = parseArgs({ options: { python: { type: 'string', default: 'python3' } } });
const folder = await npmPackages('tool-servers', PACKAGES);
const python = await pythonPackage(values.python, 'mcp', '2.3.0');
const files = await mkdtemp(join(tmpdir(), 'parley-tools-'));
await writeFile(join(files, 'a.txt'), 'content of a');
const packaged = (name) => join(folder, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
const own = (name) => fileURLToPath(new URL(`../../test/mcp/servers/${name}`, import.meta.url));
const stops = [];
let failed = 0;

const text = ({ kind, result, text }) => (kind === 'result' ? result.text : `${kind}: ${text}`);
const echoes = (said) => async (call) => assert.equal(text(await call('echo', { message: 'hi' })), said);
const COUNTERPARTS = [
  {
    name: 'server-everything, stdio',
    transport: stdio(process.execPath, [packaged('server-everything'), 'stdio']),
    cells: { 'calls a tool': echoes('Echo: hi'), ...everything() },
  },
  {
    name: 'server-everything, HTTP with a session',
    transport: () => http(process.execPath, [packaged('server-everything'), 'streamableHttp'], '/mcp'),
    cells: { 'calls a tool': echoes('Echo: hi'), ...everything() },
  },
  {
    name: 'server-filesystem, stdio',
    transport: stdio(process.execPath, [packaged('server-filesystem'), files]),
    cells: {
      'reads a file': async (call) =>
        assert.equal(text(await call('read_text_file', { path: join(files, 'a.txt') })), 'content of a'),
      'reads why not': async (call) => {
        const { result } = await call('read_text_file', { path: '/etc/passwd' });
        assert.equal(result?.isError, true);
      },
    },
  },
  {
    name: 'TypeScript server 2.4.0, stateless',
    transport: () => http(process.execPath, [own('typescript.mjs'), folder], '/mcp'),
    cells: {
      'calls a tool': echoes('hi'),
      'is stateless': async (_call, eras) => assert.equal([...eras.values()][0], 'modern'),
    },
  },
  {
    name: 'Python server 2.3.0',
    transport: () => http(python, ['-B', own('python_server.py')], '/mcp'),
    cells: { 'calls a tool': echoes('hi') },
  },
];

try {
  for (const counterpart of COUNTERPARTS) failed += (await tried(counterpart)) ? 0 : 1;
} finally {
  for (const stop of stops) await stop();
  await rm(files, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

function everything() {
  return {
    'adds by structured arguments': async (call) => assert.match(text(await call('get-sum', { a: 2, b: 3 })), /5/),
    'refuses wrong arguments itself': async (call) =>
      assert.equal((await call('get-sum', { a: 'x' })).why, 'bad-arguments'),
    'sees progress': async (call) => {
      const seen = [];
      await call(
        'trigger-long-running-operation',
        { duration: 1, steps: 3 },
        { onProgress: ({ progress }) => seen.push(progress) },
      );
      assert.ok(seen.length >= 2, String(seen));
    },
    cancels: async (call) => {
      const controller = new AbortController();
      const called = call('trigger-long-running-operation', { duration: 20, steps: 3 }, { signal: controller.signal });
      setTimeout(() => controller.abort(new Error('canceled')), 200);
      await assert.rejects(called, /canceled/);
    },
    'checks structured content': async (call) => {
      const { result } = await call('get-structured-content', { location: 'New York' });
      assert.equal(typeof result?.structured?.temperature, 'number');
    },
  };
}

/** Pins all tools as they are, then runs the cells. */
async function tried({ name, transport, cells }) {
  const found = typeof transport === 'function' ? await transport() : transport;
  const client = new ToolClient({ transport: found.settings, allow: found.allow });
  const failures = [];
  try {
    await client.pinAll();
    const call = (tool, args, options) => client.call(tool, args, options);
    for (const [cell, work] of Object.entries(cells))
      await work(call, client.eras).catch((error) => failures.push(`${cell}: ${error.message}`));
  } catch (error) {
    failures.push(`lists tools: ${error.message}`);
  } finally {
    await client.close();
  }
  const count = Object.keys(cells).length + 1;
  console.log(`${name}: ${count - failures.length} of ${count} cells pass`);
  for (const failure of failures) console.log(`  ${failure}`);
  return failures.length === 0;
}

function stdio(command, args) {
  return {
    settings: { type: 'stdio', command, args, cwd: undefined, env: {}, memoryMb: 1024, processes: 16, idleMs: 60_000 },
  };
}

/** Starts a server on a free port, which it reads from PORT. */
async function http(command, args, path) {
  const port = await freePort();
  const child = spawn(command, args, {
    env: { PORT: String(port), PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  stops.push(async () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}${path}`;
  await reachable(url);
  return { settings: { type: 'http', url, auth: { type: 'none' } }, allow: `127.0.0.1:${port}=127.0.0.1/32!http` };
}

async function reachable(url) {
  const until = Date.now() + READY_MS;
  for (;;) {
    const isThere = await fetch(url, { method: 'POST', body: '{}' }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    if (Date.now() > until) throw new Error(`${url} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
