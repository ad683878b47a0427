// npm run docs:screens: the pictures of docs/console.md, light and dark, from a seeded service. Needs a Chromium.
//   node scripts/console/screens.mjs [--out docs/images/console] [--widths 1280] [--only tasks,task]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBrowser, openBrowser } from '../../test/kit/console/browser.mjs';
import { seed, startSeeded } from '../../test/kit/console/seeded.mjs';

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
const { address, hooks, close } = await startSeeded();
const browser = await openBrowser(path);
try {
  const tasks = await seed(address, hooks);
  await mkdir(options.out, { recursive: true });
  for (const width of options.widths.split(',').map(Number)) {
    for (const theme of ['light', 'dark']) await picture(screensOf(tasks), { width, theme });
  }
} finally {
  await browser.close();
  await close();
}

/** The screens by name, with what is done on each before its picture. */
function screensOf({ research, refund, imported }) {
  const all = {
    tasks: '/tasks',
    task: `/tasks/${research}`,
    'task-retried': `/tasks/${imported}`,
    conversation: `/tasks/${refund}/conversation`,
    artifacts: `/tasks/${research}/artifacts`,
    tree: `/tasks/${research}/tree`,
    'task-webhooks': `/tasks/${imported}/webhooks`,
    raw: `/tasks/${refund}/raw`,
    approvals: '/approvals',
    webhooks: '/webhooks',
    agents: '/agents',
    playground: '/playground',
    queue: '/queue',
    workers: '/workers',
    health: '/health',
    me: '/me',
  };
  const wanted = options.only?.split(',');
  return Object.entries(all).filter(([name]) => wanted === undefined || wanted.includes(name));
}

async function picture(screens, { width, theme }) {
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
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
    if (name === 'playground') await play(page);
    const file = `${name}-${theme}${options.widths === '1280' ? '' : `-${width}`}.png`;
    await page.screenshot({ path: join(options.out, file) });
    console.log(file);
  }
  await context.close();
}

async function play(page) {
  await page.getByLabel('Skill').selectOption('translate');
  await page.getByLabel('Message').fill('The lamp is on the table');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The stream has ended').waitFor();
}
