// npm run bench -- dev: how long `parley dev` takes in a new project until it answers, and after each saved change. The project is what
// `parley new` writes; its packages are those of this clone. Prints the times; ends with 1 when a median is above its goal.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/kit/run/free-port.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'dist/cli/parley.js');
const GOALS = { readyMs: 3_000, changeMs: 1_000 };
const STARTS = 3;
const CHANGES = 5;
const LOOK_EVERY_MS = 10;
const READY_WITHIN_MS = 60_000;

const work = mkdtempSync(join(tmpdir(), 'parley-dev-'));
try {
  execFileSync(process.execPath, [PROGRAM, 'new', 'my-agent'], { cwd: work, stdio: 'ignore' });
  const agent = join(work, 'my-agent');
  const packages = join(agent, 'node_modules');
  mkdirSync(packages, { recursive: true });
  symlinkSync(ROOT, join(packages, 'parley'));

  const ready = [];
  const changes = [];
  for (let run = 0; run < STARTS; run += 1) {
    // Each start is the first one: its Redis server has no data.
    rmSync(join(agent, 'data'), { recursive: true, force: true });
    const port = await freePort();
    const began = performance.now();
    const words = [PROGRAM, 'dev'];
    const env = { ...process.env, PORT: String(port) };
    const dev = spawn(process.execPath, words, { cwd: agent, env, stdio: ['ignore', 'ignore', 'inherit'] });
    await shows(port, 'Pack list');
    ready.push(performance.now() - began);
    const count = run === STARTS - 1 ? CHANGES : 0;
    for (let change = 1; change <= count; change += 1) changes.push(await timeOfChange(agent, port, change));
    dev.kill('SIGINT');
    await once(dev, 'exit');
  }
  const rows = [
    ['start to the first answer', ready, GOALS.readyMs],
    ['saved change to the first answer with it', changes, GOALS.changeMs],
  ];
  console.log('| `parley dev` | median, ms | longest, ms | goal, ms |\n| --- | --- | --- | --- |');
  for (const [what, times, goal] of rows) {
    console.log(`| ${what} (${times.length} times) | ${median(times)} | ${Math.round(Math.max(...times))} | ${goal} |`);
  }
  process.exitCode = rows.every(([, times, goal]) => median(times) <= goal) ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** @param {string} agent @param {number} port @param {number} change */
async function timeOfChange(agent, port, change) {
  const file = join(agent, 'skills/pack-list.skill.ts');
  const name = `Pack list ${change}`;
  const changed = readFileSync(file, 'utf8').replace(/name: 'Pack list[^']*',/, `name: '${name}',`);
  // The process that is to serve the next change has loaded its modules by then, as between two changes of a person.
  await pause(3_000);
  const began = performance.now();
  writeFileSync(file, changed);
  await shows(port, name);
  return performance.now() - began;
}

/** Waits until the agent card has a skill of this name. @param {number} port @param {string} name */
async function shows(port, name) {
  const url = `http://127.0.0.1:${port}/.well-known/agent-card.json`;
  const until = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const card = await fetch(url).then(
      (response) => response.text(),
      () => '',
    );
    if (card.includes(`"name":"${name}"`)) return;
    if (performance.now() > until) throw new Error(`The agent does not show "${name}"`);
    await pause(LOOK_EVERY_MS);
  }
}

/** @param {readonly number[]} times */
function median(times) {
  return Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0);
}
