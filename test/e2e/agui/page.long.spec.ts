import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { useServices } from '../../kit/app/started-services.js';
import { freePort } from '../../kit/run/free-port.mjs';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { PAGE_SKILLS } from './skills.js';

const browserPath = findBrowser();
const described = browserPath === undefined ? describe.skip : describe;
/** Where screenshots go, if they are wanted: the documentation has them. */
const SHOTS = process.env.PAGE_SHOTS;

described('the example page in a browser (AG-UI)', () => {
  const start = useServices();
  let server: ChildProcess;
  let pageUrl: string;
  let browser: Browser;

  beforeAll(async () => {
    server = spawn(process.execPath, ['examples/agui-page/serve.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(server.stdout ?? server, 'data')) as [Buffer];
    pageUrl = line.toString().trim();
    browser = await openBrowser(browserPath ?? '');
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    server.kill();
  });

  const opened = async (agent: string, skill: string, options: Parameters<Browser['newPage']>[0] = {}) => {
    const page = await browser.newPage(options);
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => {
      // A lost connection is no fault of the page.
      if (['error', 'warning'].includes(message.type()) && !/net::ERR|Failed to load resource/.test(message.text()))
        faults.push(message.text());
    });
    await page.goto(`${pageUrl}/?agent=${encodeURIComponent(agent)}&skill=${skill}`);
    return { page, faults };
  };
  const say = async (page: Page, text: string): Promise<void> => {
    await page.fill('#say input', text);
    await page.click('#say button');
  };

  it('shows one whole text, although it is reloaded and its service is killed in the middle (AGUI-60)', async () => {
    const port = String(await freePort());
    const variables = { AGUI: 'true', PORT: port, KEY_PREFIX: `test-${randomUUID()}`, REDIS_URL: testRedisUrl() };
    const first = start(variables);
    const agent = await first.ready();
    const { page, faults } = await opened(agent, 'countdown');
    await say(page, '12');
    await page.locator('.assistant', { hasText: '10' }).waitFor({ timeout: 60_000 });
    await page.reload();
    await page.locator('.user', { hasText: '12' }).waitFor({ timeout: 60_000 });
    await page.locator('.assistant', { hasText: '8' }).waitFor({ timeout: 60_000 });
    await first.stop('SIGKILL');
    await start(variables).ready();
    await page.locator('.assistant', { hasText: /\n0\n$/ }).waitFor({ timeout: 120_000 });
    const texts = await page.locator('.assistant').allTextContents();
    expect(texts).toEqual([Array.from({ length: 13 }, (_, n) => `${String(12 - n)}\n`).join('')]);
    expect(faults).toEqual([]);
  }, 400_000);

  describe('with a skill that asks', () => {
    let app: RunningApp;
    beforeAll(async () => {
      app = await runApp({ AGUI: 'true' }, { skills: PAGE_SKILLS });
    });
    afterAll(() => app.close());

    it.each([
      ['light', 1100],
      ['dark', 1100],
      ['light', 390],
      ['dark', 390],
    ] as const)(
      'draws a form, and goes on with the answer: %s, %i pixels wide (AGUI-60)',
      async (colorScheme, width) => {
        const { page, faults } = await opened(app.url, 'confirm', { colorScheme, viewport: { width, height: 640 } });
        await say(page, 'Pay the invoice');
        await page.locator('#question input').waitFor();
        await page.reload();
        await page.locator('#question input').fill('250');
        if (SHOTS !== undefined) {
          mkdirSync(SHOTS, { recursive: true });
          await page.screenshot({ path: `${SHOTS}/question-${colorScheme}-${String(width)}.png` });
        }
        await page.locator('#question button', { hasText: 'Answer' }).click();
        await page.locator('.assistant', { hasText: 'after {"amount":250}' }).waitFor();
        const overflow = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
        expect(overflow).toBe(false);
        expect(faults).toEqual([]);
        await page.close();
      },
    );
  });
});
