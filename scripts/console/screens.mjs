// npm run docs -- screens: the pictures of docs/console.md, light and dark, from a seeded service. Needs a Chromium.
//   npm run docs -- screens [--out docs/images/console] [--widths 1280] [--only tasks,task]
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBrowser, openBrowser } from '../../test/kit/console/browser.mjs';
import { startForeignAgent } from '../../test/kit/console/foreign-agent.js';
import { Caller, seed, startSeeded } from '../../test/kit/console/seeded.mjs';
import { temporaryFolder } from '../../test/kit/run/temporary-folder.mjs';

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: 'docs/images/console' },
    widths: { type: 'string', default: '1280' },
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
  },
});

const path = findBrowser();
if (path === undefined) {
  console.error('No Chromium was found: install it, or set CHROMIUM to its path. NO PICTURE WAS MADE.');
  process.exit(1);
}
const foreign = await startForeignAgent();
const variables = { ...foreign.variables, REGISTRY: 'true' };
const { address, hooks, loseWorker, close } = await startSeeded(variables, { isShared: true });
const browser = await openBrowser(path);
try {
  const tasks = { ...(await seed(address, hooks)), taken: await loseWorker() };
  tasks.again = await runAgain(tasks.research);
  await callForeign();
  const bundle = join(temporaryFolder('screens'), 'task.jsonl');
  await writeFile(bundle, await textOf(`/tasks/${tasks.research}/bundle/content?children=true`));
  await mkdir(options.out, { recursive: true });
  for (const width of options.widths.split(',').map(Number)) {
    for (const theme of ['light', 'dark']) await picture(screensOf(tasks), { width, theme, bundle });
  }
} finally {
  await browser.close();
  await close();
  await foreign.stop();
}

/** The screens by name, with the actions on each before its picture. */
function screensOf({ research, refund, imported, taken, again }) {
  const all = {
    tasks: '/tasks',
    task: `/tasks/${research}`,
    'task-retried': `/tasks/${imported}`,
    'task-taken': `/tasks/${taken}`,
    conversation: `/tasks/${refund}/conversation`,
    artifacts: `/tasks/${research}/artifacts`,
    tree: `/tasks/${research}/tree`,
    'task-webhooks': `/tasks/${imported}/webhooks`,
    raw: `/tasks/${refund}/raw`,
    approvals: '/approvals',
    webhooks: '/webhooks',
    agents: '/agents',
    'agents-remote': '/agents/remote',
    'agents-registry': '/agents/registry',
    playground: '/playground',
    'playground-bin': '/playground',
    bundle: '/bundle',
    compare: `/compare?a=${research}&b=${again}`,
    queue: '/queue',
    workers: '/workers',
    health: '/health',
    me: '/me',
  };
  const wanted = options.only?.split(',');
  return Object.entries(all).filter(([name]) => wanted === undefined || wanted.includes(name));
}

async function textOf(path, init) {
  const response = await fetch(`${address}/console/api${path}`, init);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.text();
}

/** An agent of the registry, which is called as well. */
async function callForeign() {
  const headers = { 'content-type': 'application/json' };
  const proposed = { method: 'POST', headers, body: JSON.stringify({ url: foreign.url }) };
  const response = await fetch(`${address}/registry/entries`, proposed);
  if (!response.ok) throw new Error(`The registry answered ${response.status}`);
  const caller = new Caller(address, {});
  await caller.until(await caller.begin('their_echo', 'Is anybody there?'), 'TASK_STATE_COMPLETED');
}

/** The same task with another question, for a comparison; resolves when it has ended. */
async function runAgain(id) {
  const headers = { 'content-type': 'application/json' };
  const text = await textOf(`/tasks/${id}/rerun`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ text: 'Why do customers stay?' }),
  });
  const { taskId } = JSON.parse(text);
  await new Caller(address, {}).until(taskId, 'TASK_STATE_COMPLETED');
  return taskId;
}

async function picture(screens, { width, theme, bundle }) {
  const height = width < 600 ? 844 : 800;
  const context = await browser.newContext({
    ...{ viewport: { width, height }, deviceScaleFactor: Number(options.scale), colorScheme: theme },
    ...{ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' },
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => console.error(`${page.url()}: ${error.message}`));
  for (const [name, where] of screens) {
    await page.goto(`${address}/console${where}`);
    await page.locator('main h1').first().waitFor();
    await page.locator('[aria-busy], .live.connecting').first().waitFor({ state: 'detached' });
    if (name.startsWith('playground')) await play(page, name.endsWith('bin'));
    if (name === 'bundle') await openBundle(page, bundle);
    if (name === 'compare') await page.locator('.difference').first().waitFor();
    const file = `${name}-${theme}${options.widths === '1280' ? '' : `-${width}`}.png`;
    await page.screenshot({ path: join(options.out, file) });
    console.log(file);
  }
  await context.close();
}

async function openBundle(page, file) {
  await page.getByLabel('File').setInputFiles(file);
  await page.locator('.lanes .lane').first().waitFor();
}

async function play(page, hasBin) {
  await page.getByLabel('Skill').selectOption('translate');
  await page.getByLabel('Message').fill('The lamp is on the table');
  if (hasBin) await page.getByLabel('With a webhook to a bin').check();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The stream has ended').waitFor();
  if (!hasBin) return;
  const id = (await page.getByRole('region', { name: 'Task', exact: true }).getByRole('link').innerText()).slice(0, 8);
  const delivered = page.getByRole('region', { name: 'Webhook bin' }).locator('li').filter({ hasText: id });
  await delivered.filter({ hasText: 'statusUpdate, completed' }).waitFor();
}
