// The MCP peer: the official SDK's handler on Fastify, as its documentation builds one, with MCP_TOOLS tools. Requests of sessions
// get a server and a transport each, kept in memory. Its packages are in the folder MCP_PEER_PACKAGES.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fastify } from 'fastify';
import { reportMemory } from './memory.mjs';

const from = createRequire(join(process.env.MCP_PEER_PACKAGES ?? '.', 'package.json'));
const load = (name) => import(pathToFileURL(from.resolve(name)).href);
const { createMcpHandler, McpServer } = await load('@modelcontextprotocol/server');
const { NodeStreamableHTTPServerTransport, toNodeHandler } = await load('@modelcontextprotocol/node');
const { z } = await load('zod');

const inputSchema = z.object({ text: z.string() });
const names = ['direct', 'instant', 'typed', ...Array.from({ length: 1000 }, (_none, at) => `filler_${at}`)];
const tools = names.slice(0, Number(process.env.MCP_TOOLS ?? 3));

function newServer() {
  const server = new McpServer({ name: 'peer', version: '1.0.0' });
  for (const name of tools) {
    const description = `The ${name} skill of the benchmark.`;
    server.registerTool(name, { title: name, description, inputSchema }, ({ text }) => ({
      content: [{ type: 'text', text }],
    }));
  }
  return server;
}

const sessions = new Map();
const stateless = toNodeHandler(createMcpHandler(newServer));
const app = fastify();
app.post('/mcp', async (request, reply) => {
  reply.hijack();
  const { raw, body } = request;
  if (body.method !== 'initialize') return stateless(raw, reply.raw, body);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await newServer().connect(transport);
  return transport.handleRequest(raw, reply.raw, body);
});
reportMemory();
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ event: 'service.started', address })}\n`);
