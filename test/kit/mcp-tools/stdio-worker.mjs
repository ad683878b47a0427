// A worker with one tool server, which ignores that its input ends: prints the server's process id, then waits to be killed.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [command] = process.argv.slice(2);
const supervisor = fileURLToPath(new URL('../../../src/mcp-tools/stdio/supervisor.mjs', import.meta.url));
const code = 'process.stdin.on("end", () => 0).resume(); console.log(process.pid); setInterval(() => 0, 1000)';
const order = { command, args: ['-e', code], cwd: '/', env: {}, memoryMb: 512, processes: 16 };
const child = spawn(process.execPath, [supervisor, JSON.stringify(order)], {
  stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  detached: true,
});
child.stdout.once('data', (text) => process.send(Number(String(text))));
