import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { type ForeignAgent, startForeignAgent } from '../../kit/console/foreign-agent.js';
import { Caller, seed, startSeeded } from '../../kit/console/seeded.mjs';
import { Watched } from '../../kit/console/watched.js';

const found = findBrowser();
const described = found === undefined ? describe.skip : describe;

const WORDS = ['W', 'م', '漢'].map((letter) => letter.repeat(300)).join(' ');
const WIDTHS = [1280, 768, 390, 320];
/** Members whose values the console chooses by, and those that are schemas or files. */
const KEPT = new Set(['state', 'kind', 'outcome', 'how', 'level', 'waitsFor', 'scope', 'refused', 'schema', 'raw']);
const KEPT_VALUE = /^(\d{4}-\d\d-\d\dT|[0-9a-f]{8}-[0-9a-f-]{27}$|TASK_STATE_|ROLE_|a2a:)/;

described('long words in the console', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startSeeded>>;
  let foreign: ForeignAgent;
  let screens: readonly string[];

  beforeAll(async () => {
    foreign = await startForeignAgent();
    service = await startSeeded({ ...foreign.variables, REGISTRY: 'true' });
    const tasks = await seed(service.address, service.hooks);
    await fetch(`${service.address}/registry/entries`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: foreign.url }),
    });
    const said = await mirrored(new Caller(service.address, {}));
    const tabs = ['', '/conversation', '/artifacts', '/webhooks', '/tree', '/raw'];
    screens = [
      ...[tasks.research, tasks.imported, tasks.failed, ...said].flatMap((id) =>
        tabs.map((tab) => `/tasks/${id}${tab}`),
      ),
      ...[
        '/tasks',
        '/approvals',
        '/webhooks',
        '/agents',
        '/agents/remote',
        '/agents/registry',
        '/playground',
        '/bundle',
      ],
      ...['/queue', '/workers', '/health', '/me', `/compare?a=${said.join('&b=')}`],
      ...['/tasks?skill=', '/webhooks?endpoint=', '/agents/registry?q=', '/playground?agent=', '/tasks/', '/'].map(
        (path) => `${path}${'W'.repeat(300)}`,
      ),
    ];
    browser = await openBrowser(found ?? '');
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await service.close();
    await foreign.stop();
  });

  it('make no screen, table or chart wider than its window, wherever they are, in any script (C-4, C-9)', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const { page, faults } = await Watched.of(await context.newPage(), [service.address]);
    await lengthened(page, WORDS);
    const wide: Record<string, unknown> = {};
    for (const screen of screens) {
      await page.goto(`${service.address}/console${screen}`);
      await page.locator('main h1, main .state-box').first().waitFor();
      await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const parts = await page.evaluate(TOO_WIDE);
        if (JSON.stringify(parts) !== '[]') wide[`${screen.slice(0, 80)} at ${String(width)} px`] = parts;
      }
    }
    expect(wide).toEqual({});
    expect(faults).toEqual([]);
    const linked = await page.evaluate("[...document.querySelectorAll('.nav a.item')].map(({ pathname }) => pathname)");
    expect(screens.map((screen) => `/console${screen}`)).toEqual(expect.arrayContaining(linked as string[]));
    await closed(page);
  }, 240_000);

  it.each([
    ['of a task that is to be canceled', '', 'Cancel task'],
    ['of a task that is to run again', '', 'Run again'],
    ['of a choice that is to be confirmed', '/conversation', 'W'.repeat(300)],
  ])(
    'make no dialog wider than its window: %s (C-4)',
    async (_what, tab, button) => {
      const caller = new Caller(service.address, {});
      const id = await caller.begin('ask', JSON.stringify(SCHEMA));
      await caller.until(id, 'TASK_STATE_INPUT_REQUIRED');
      const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
      const { page, faults } = await Watched.of(await context.newPage(), [service.address]);
      await lengthened(page, WORDS);
      await page.goto(`${service.address}/console/tasks/${id}${tab}`);
      await page.getByRole('button', { name: button }).first().click();
      await page.getByRole('dialog').waitFor();
      expect(await page.evaluate(TOO_WIDE)).toEqual([]);
      expect(faults).toEqual([]);
      await closed(page);
    },
    60_000,
  );
});

const SCHEMA = {
  type: 'object',
  description: 'W'.repeat(300),
  properties: {
    decision: { enum: ['approve', 'reject', 'W'.repeat(300)], title: 'W'.repeat(300), description: 'W'.repeat(300) },
    ['W'.repeat(300)]: { type: 'string', default: 'W'.repeat(300) },
    flag: { type: 'boolean', title: 'W'.repeat(300) },
    choice: { enum: ['W'.repeat(300), 'other'], description: 'W'.repeat(300) },
  },
};

/** Tasks whose callers and agents have put a long word wherever they can. */
async function mirrored(caller: Caller): Promise<readonly string[]> {
  const word = 'W'.repeat(300);
  const mirror = await caller.begin('mirror', word);
  const files = await caller.begin('files', word, {
    files: [{ raw: 'e30=', filename: `${word}.json`, mediaType: `application/${'w'.repeat(200)}` }],
  });
  const ask = await caller.begin('ask', JSON.stringify(SCHEMA));
  for (const id of [mirror, files]) await caller.until(id, 'TASK_STATE_COMPLETED');
  await caller.until(ask, 'TASK_STATE_INPUT_REQUIRED');
  return [mirror, files, ask];
}

/** Has each answer of the service carry the word at every position that is no choice of the console's. */
async function lengthened(page: Page, word: string): Promise<void> {
  await page.route(/\/console\/api\/(?!feed|config)|\/\.well-known\/|\/registry\//, async (route) => {
    const response = await route.fetch();
    if (!/^application\/(a2a\+)?json\b/.test(response.headers()['content-type'] ?? ''))
      return route.fulfill({ response });
    const json = (await response.json()) as object;
    await route.fulfill({ response, json: withWord({ ...json, ...rowsOf(new URL(route.request().url())) }, word) });
  });
}

/** Closes the page and its context. A request that is still on its way through `lengthened` would fail the test. */
async function closed(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

/** Rows of tables that are empty on a service with nothing in line and no lost process. */
function rowsOf({ pathname }: URL): object {
  const run = { taskId: randomUUID(), tenant: 'acme', skill: 'research' };
  if (pathname.endsWith('/platform/queue')) return { next: [{ ...run, position: 1 }] };
  if (pathname.endsWith('/platform/workers')) return { orphans: [{ ...run, worker: randomUUID(), leaseEndsInMs: 5 }] };
  return {};
}

function withWord(value: unknown, word: string): unknown {
  if (typeof value === 'string') return KEPT_VALUE.test(value) ? value : `${value}${word}`;
  if (Array.isArray(value)) return value.map((one) => withWord(one, word));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, KEPT.has(name) ? member : withWord(member, word)]),
  );
}

/** What goes beyond the window or scrolls sideways in it, but for what is cut off, the menu and the tabs. */
const TOO_WIDE = `[...document.body.querySelectorAll('*')].filter((one) => {
  const { left, right, width } = one.getBoundingClientRect();
  if (width < 2 || (right <= innerWidth + 1 && left >= -1)) return false;
  for (let above = one.parentElement; above !== document.body; above = above.parentElement)
    if (above.closest('.hidden-text') || getComputedStyle(above).overflowX !== 'visible') return false;
  return !one.closest('.skip');
}).concat([...document.querySelectorAll('main *, dialog')].filter((one) =>
  one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX) && !one.matches('.tabs'),
)).map((one) => one.tagName + '.' + one.className + ': ' + one.textContent.slice(0, 20)).slice(0, 5)
  .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])`;
