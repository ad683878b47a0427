// An MCP server on stdio for tests, with sessions. Its tools say what it is made of, or do harm.
import { createInterface } from 'node:readline';
import { readdirSync, readlinkSync } from 'node:fs';
import { spawn } from 'node:child_process';

const tool = (name) => ({ name, description: name, inputSchema: { type: 'object' } });
const NAMES = ['env', 'files', 'exit', 'hang', 'eat', 'fork', 'shout', 'pid', 'wait'];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const canceled = [];

function openFiles() {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [`${fd} ${readlinkSync(`/proc/self/fd/${fd}`)}`];
    } catch {
      return [];
    }
  });
}

const TOOLS = {
  env: () => text(process.env),
  files: () => text(openFiles()),
  exit: () => process.exit(3),
  hang: () => undefined,
  eat: () => {
    const held = [];
    setInterval(() => held.push(Buffer.alloc(64 * 1_048_576, 1)), 20);
  },
  fork: () => {
    setInterval(() => spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' }), 50);
  },
  shout: () => {
    const more = () => {
      while (process.stdout.write('x'.repeat(65_536)));
      process.stdout.once('drain', more);
    };
    more();
  },
  pid: () => text(String(process.pid)),
  wait: () => text({ canceled }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'notifications/cancelled') canceled.push(params);
  if (id === undefined) return;
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      },
    });
  else if (method === 'tools/list') send({ id, result: { tools: NAMES.map(tool) } });
  else if (method === 'tools/call') {
    const result = TOOLS[params.name]();
    if (result !== undefined) send({ id, result });
  } else send({ id, error: { code: -32601, message: 'Method not found' } });
});
