// Runs one tool server for one worker process, in a process group of its own. Descriptor 3 is a pipe from the worker: it ends
// when the worker has gone, however it went, and then the group is killed. So it is when the group uses more memory or has
// more processes than it may. The argument is a JSON object, see tool-process.ts.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const WATCH_MS = 500;
const PAGE_BYTES = 4096;

const { command, args, cwd, env, memoryMb, processes } = JSON.parse(process.argv[2]);
const server = spawn(command, args, { cwd, env, detached: true, stdio: [0, 1, 2] });

function end(why) {
  if (why !== undefined) process.stderr.write(`${why}\n`);
  try {
    process.kill(-server.pid, 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
  process.exit(why === undefined ? 0 : 1);
}

// Group and resident bytes of a process; undefined for one that has just ended.
function usage(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { group: Number(fields[2]), bytes: Number(fields[21]) * PAGE_BYTES };
  } catch {
    return undefined;
  }
}

// Linux only: elsewhere there is no /proc, and the limits are the operating system's.
function watch() {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const ours = all.map(usage).filter((one) => one?.group === server.pid);
  const bytes = ours.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes > memoryMb * 1_048_576) end(`The tool server used more than ${memoryMb} MiB and was ended`);
  if (ours.length > processes) end(`The tool server had more than ${processes} processes and was ended`);
}

server.on('error', (error) => end(`The tool server cannot be started: ${error.message}`));
server.on('exit', (code, signal) => end(`The tool server ended (${signal ?? code})`));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
const worker = new Socket({ fd: 3 });
worker
  .on('end', () => end())
  .on('close', () => end())
  .on('error', () => end());
worker.resume();
if (process.platform === 'linux') setInterval(watch, WATCH_MS);
