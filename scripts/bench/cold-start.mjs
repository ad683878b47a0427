// npm run bench -- cli: how long `parley card get` takes from the start of its process to its end, against an agent on this machine.
// Prints the times; ends with 1 when the median is above the goal.
import { spawnSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/parley.js', import.meta.url));
const RUNS = 15;
const GOAL_MS = 350;

const server = createServer((_request, response) => {
  const { port } = server.address();
  const interfaces = [{ url: `http://127.0.0.1:${port}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
  const card = { name: 'Bench', description: 'Shows its card.', version: '1.0.0', supportedInterfaces: interfaces };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ ...card, capabilities: {}, defaultInputModes: [], defaultOutputModes: [], skills: [] }),
  );
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

/** Of one command, ms. */
async function timed(...args) {
  const began = performance.now();
  const [code] = await once(spawn(process.execPath, [PROGRAM, ...args], { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}`);
  return performance.now() - began;
}

async function median(...args) {
  const times = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await timed(...args));
  return Math.round(times.sort((a, b) => a - b)[Math.floor(RUNS / 2)]);
}

const began = performance.now();
spawnSync(process.execPath, ['-e', '']);
const bare = Math.round(performance.now() - began);
const card = await median('card', 'get', `127.0.0.1:${server.address().port}`);
const help = await median('--help');
server.close();
console.log(`parley card get: ${card} ms (median of ${RUNS}); parley --help: ${help} ms; node alone: ${bare} ms`);
process.exitCode = card > GOAL_MS ? 1 : 0;
