/**
 * Follows docs/quickstart.md in an empty folder, as printed, with the package that `npm pack` makes of this clone, and checks what its
 * commands say: `npm run release:check`. Then packs the packs of skills with packages of their own, with the bill of materials and the
 * scan of licences (`npm run packages`), installs them, and starts the agent with them.
 * Prints the seconds of each step.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/kit/run/free-port.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STEP_MS = 600_000;
const READY_MS = 60_000;
/** The command of the page that does not end by itself. */
const SERVER = 'npm run dev';

const work = mkdtempSync(join(tmpdir(), 'parley-release-'));
const agent = join(work, 'my-agent');
const port = await freePort();
const env = {
  ...{ ...process.env, PORT: String(port) },
  // The commands stay as printed; only npm's side work is left out.
  ...{ npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefer_offline: 'true' },
};
/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
/** Output of `npm run dev`. */
let printed = '';

try {
  symlinkSync(ROOT, join(work, 'parley'));
  const [first, ...others] = blocks();
  await follow(first ?? '');
  // Beside the steps of the page, which wait more than they compute.
  const packed = packsMade();
  for (const block of others) await follow(block);
  await reloads();
  await endServer();
  await startsWithPacks(await packed);
  console.log('The quickstart works as printed.');
} finally {
  server?.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
}

/** The shell blocks of the page. @returns {string[]} */
function blocks() {
  const text = readFileSync(join(ROOT, 'docs/quickstart.md'), 'utf8').replaceAll(':3000', `:${String(port)}`);
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block.trim());
}

/** @param {string} block */
async function follow(block) {
  if (block === SERVER) {
    await timed(SERVER, startServer);
    return;
  }
  const answer = run(block, block.startsWith('npm pack') ? work : agent);
  if (block.startsWith('curl')) expect(answer, 'TASK_STATE_COMPLETED', '- 3 × book');
  if (block.startsWith('npm test')) expect(answer, '# pass 1', '# fail 0');
  if (block.includes('doctor')) expect(answer, 'pack_list');
}

/** @param {string} script @param {string} cwd @returns {string} */
function run(script, cwd) {
  const began = performance.now();
  const output = execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
    ...{ cwd, env, encoding: 'utf8', timeout: STEP_MS, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  report(script.split('\n').at(-1) ?? '', began);
  return output;
}

/** @param {string} text @param {string[]} parts */
function expect(text, ...parts) {
  const missing = parts.filter((part) => !text.includes(part));
  if (missing.length > 0) throw new Error(`"${missing.join('", "')}" is missing in:\n${text}`);
}

async function startServer() {
  server = spawn('npm', ['run', 'dev'], { cwd: agent, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  server.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ text) => (printed += text));
  await ready();
}

/** A file that cannot be loaded changes nothing; a saved change is served. */
async function reloads() {
  const file = join(agent, 'skills/pack-list.skill.ts');
  const source = readFileSync(file, 'utf8');
  const brokenAt = performance.now();
  writeFileSync(file, source.replace("'book'", "'book"));
  while (!printed.includes('cannot be loaded')) {
    if (performance.now() - brokenAt > READY_MS) throw new Error(`a broken file is not reported:\n${printed}`);
    await pause(50);
  }
  expect(await sent('Rome'), 'For how many days in Rome?');
  report('a broken file is reported, the service goes on', brokenAt);
  const began = performance.now();
  writeFileSync(file, source.replace("'book'", "'novel'"));
  for (;;) {
    const answer = await sent(`Oslo, ${String(Math.ceil(performance.now()))} days`).catch(() => '');
    if (answer.includes('novel')) break;
    if (performance.now() - began > READY_MS) throw new Error('the change is not served');
  }
  report('a saved change is answered', began);
}

/** @param {string} text @returns {Promise<string>} */
async function sent(text) {
  const message = { messageId: text, role: 'ROLE_USER', parts: [{ text }] };
  const response = await fetch(`http://127.0.0.1:${String(port)}/message:send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ message }),
  });
  return response.text();
}

async function endServer() {
  const ended = new Promise((resolve) => server?.once('exit', resolve));
  if (server?.pid !== undefined) process.kill(-server.pid, 'SIGINT');
  await ended;
  server = undefined;
}

/** Makes the packs that are packages of their own. @returns {Promise<string[]>} their tarballs */
async function packsMade() {
  const began = performance.now();
  const words = [join(ROOT, 'scripts/packages.mjs'), join(work, 'packages')];
  const packing = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  packing.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
  const [code] = await once(packing, 'close');
  if (code !== 0) throw new Error(`npm run packages ended with ${String(code)}`);
  report('npm run packages, beside others', began);
  return output
    .trim()
    .split('\n')
    .filter((file) => file.includes('parley-skills-'));
}

/** They work beside the skills of the agent. @param {string[]} names */
async function startsWithPacks(names) {
  const sbom = readdirSync(join(work, 'packages')).find((name) => name.endsWith('.cdx.json'));
  const { bomFormat, components } = JSON.parse(readFileSync(join(work, 'packages', sbom ?? 'no SBOM'), 'utf8'));
  const listed = components.map((/** @type {{ name: string }} */ { name }) => name).join(' ');
  expect(`${bomFormat} ${listed}`, 'CycloneDX', 'parley', '@parley/skills-invoice', 'bullmq', 'ajv', 'unpdf');
  run(`npm install ${names.join(' ')}`, agent);
  const packs = Object.keys(JSON.parse(readFileSync(join(agent, 'package.json'), 'utf8')).dependencies);
  const skills = ['./dist/skills', 'echo', ...packs.filter((name) => name.startsWith('@parley/skills-'))].join(',');
  await timed('npm start', async () => {
    const words = ['parley', 'start', '--skills', skills];
    server = spawn('npx', words, { cwd: agent, env, stdio: ['ignore', 'ignore', 'inherit'], detached: true });
    await ready();
  });
  const card = await (await fetch(`http://127.0.0.1:${String(port)}/.well-known/agent-card.json`)).text();
  expect(card, 'pack_list', 'echo', 'summarize_text', 'validate_invoice');
  await endServer();
}

async function ready() {
  const until = performance.now() + READY_MS;
  while (performance.now() < until) {
    const isReady = await fetch(`http://127.0.0.1:${String(port)}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (server?.exitCode !== null) break;
  }
  throw new Error('the agent is not ready');
}

/** @param {string} name @param {() => Promise<void>} work */
async function timed(name, work) {
  const began = performance.now();
  await work();
  report(name, began);
}

/** @param {string} name @param {number} began */
function report(name, began) {
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${name}`);
}
