// Runs one Redis server for one service process, in a process of its own. Standard input is a pipe from the service:
// it ends when the service has gone, however it went, and then the server is ended. A server that fails in between is
// started again. Signals of a terminal or of a service manager are not obeyed: the service still needs its Redis while
// it shuts down. The argument is a JSON object, see supervised-server.ts.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const HEARTBEAT_MS = 500;
// A server that lives for less than this is not started again: it will not run here.
const MIN_LIFE_MS = 1000;
const RESTART_PAUSE_MS = 200;
// A server that has not written its data by then hangs.
const END_TIMEOUT_MS = 8000;

const { command, args, env, lockFile, lockToken } = JSON.parse(process.argv[2]);
let server;
let isEnding = false;

// The current lock, or undefined after a takeover.
function ownLock() {
  try {
    const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
    return lock.token === lockToken ? lock : undefined;
  } catch {
    return undefined;
  }
}

// Whatever happens to the lock file, the server must still be ended.
function keepLock(change) {
  const lock = ownLock();
  if (lock === undefined) return end();
  try {
    change(lock);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    end();
  }
}

function leave(code) {
  if (ownLock() !== undefined) rmSync(lockFile, { force: true });
  process.exit(code ?? 1);
}

function start() {
  if (isEnding) leave(0);
  const startedAt = Date.now();
  server = spawn(command, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  server.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    leave(1);
  });
  server.on('exit', (code) => {
    if (isEnding) leave(0);
    if (Date.now() - startedAt < MIN_LIFE_MS) leave(code);
    setTimeout(start, RESTART_PAUSE_MS);
  });
}

function end() {
  if (isEnding) return;
  isEnding = true;
  // SIGTERM: the server writes what it still holds in memory, then exits.
  server.kill('SIGTERM');
  setTimeout(() => server.kill('SIGKILL'), END_TIMEOUT_MS);
  keepLock((lock) => writeFileSync(lockFile, JSON.stringify({ ...lock, isEnding })));
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
process.stdin.on('end', end).on('error', end);
// A line is the time, ms since 1970, by which the service will have gone.
createInterface({ input: process.stdin }).on('line', (line) => {
  keepLock((lock) => writeFileSync(lockFile, JSON.stringify({ ...lock, endsBy: Number(line) })));
});
setInterval(() => keepLock(() => utimesSync(lockFile, new Date(), new Date())), HEARTBEAT_MS);
start();
