// A server of the official TypeScript SDK, stateless, on PORT: node typescript.mjs <folder with node_modules>.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const from = createRequire(join(process.argv[2] ?? '.', 'package.json'));
const load = (name) => import(pathToFileURL(from.resolve(name)).href);
const { createMcpHandler, McpServer } = await load('@modelcontextprotocol/server');
const { toNodeHandler } = await load('@modelcontextprotocol/node');
const { z } = await load('zod');

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'theirs', version: '1.0.0' });
    server.registerTool(
      'echo',
      { description: 'Says it again.', inputSchema: z.object({ message: z.string() }) },
      ({ message }) => ({ content: [{ type: 'text', text: message }] }),
    );
    return server;
  }),
);
createServer((request, response) => void handler(request, response)).listen(Number(process.env.PORT), '127.0.0.1');
