// Drives an official TypeScript client: node typescript.mjs <folder of packages> <sdk | auto | legacy | pinned> <url>.
// Prints a line for each cell: its name, and why it failed.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CELLS } from './cells.mjs';

const [, , folder, mode, url] = process.argv;
const { resolve } = createRequire(join(folder, 'package.json'));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const client = await (mode === 'sdk' ? openSdk() : openClient());
for (const [name, run] of CELLS) {
  const failure = await run(client).then(
    () => undefined,
    (error) => String(error).replaceAll('\n', ' '),
  );
  console.log(JSON.stringify({ name, failure }));
}
process.exit(0);

/** The stable release line, 2.x. */
async function openClient() {
  const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
  const versionNegotiation = { mode: mode === 'pinned' ? { pin: '2026-07-28' } : mode };
  const client = new Client(
    { name: 'interop', version: '0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation },
  );
  client.setRequestHandler('elicitation/create', () => Promise.resolve({ action: 'accept', content: { name: 'Ann' } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return {
    listTools: async () => (await client.listTools()).tools,
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, onprogress && { onprogress: ({ progress }) => onprogress(progress) }),
    read: (uri) => client.readResource({ uri }),
  };
}

/** The line before it, 1.x, which speaks sessions only. */
async function openSdk() {
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { ElicitRequestSchema } = await load('@modelcontextprotocol/sdk/types.js');
  const client = new Client({ name: 'interop', version: '0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => Promise.resolve({ action: 'accept', content: { name: 'Ann' } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return {
    listTools: async () => (await client.listTools()).tools,
    call: (name, args, onprogress) =>
      client.callTool(
        { name, arguments: args },
        undefined,
        onprogress && { onprogress: ({ progress }) => onprogress(progress) },
      ),
    read: (uri) => client.readResource({ uri }),
  };
}
