import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { seed, startSeeded } from '../../kit/console/seeded.mjs';
import { Watched } from '../../kit/console/watched.js';

const found = findBrowser();
const described = found === undefined ? describe.skip : describe;

const PHONE = { width: 390, height: 844 };

described('the console on a phone', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startSeeded>>;
  let tasks: Awaited<ReturnType<typeof seed>>;

  beforeAll(async () => {
    service = await startSeeded();
    tasks = await seed(service.address, service.hooks);
    browser = await openBrowser(found ?? '');
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it('folds the filters of the list behind a button that counts them, and a key unfolds them (C-9)', async () => {
    const context = await browser.newContext({ viewport: PHONE });
    const watched = await Watched.of(await context.newPage(), [service.address]);
    const { page, faults } = watched;
    await watched.goto(`${service.address}/console/tasks?state=working&skill=index`);
    const field = page.getByRole('combobox', { name: 'Skill' });
    const row = await page.locator('tr.open-row').first().boundingBox();
    expect(row?.y).toBeLessThan(PHONE.height / 2);
    expect(await field.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters (2)' }).click();
    expect(await field.inputValue()).toBe('index');
    await page.getByRole('button', { name: 'Filters (2)' }).click();
    await field.waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    await field.waitFor();
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.setViewportSize({ width: 768, height: 800 });
    expect(await page.getByRole('button', { name: 'Filters' }).isVisible()).toBe(false);
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  it('shows the views of a task on the first screen, and the name of its skill whole in the list (C-9)', async () => {
    const context = await browser.newContext({ viewport: PHONE });
    const watched = await Watched.of(await context.newPage(), [service.address]);
    const { page, faults } = watched;
    await watched.goto(`${service.address}/console/tasks/${tasks.failed}`);
    const tabs = await page.getByRole('navigation', { name: 'Views of the task' }).boundingBox();
    expect(tabs?.y).toBeLessThan(PHONE.height - 100);
    const fact = page.getByText('Context', { exact: true });
    expect(await fact.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'More facts' }).click();
    await fact.waitFor();
    await watched.goto(`${service.address}/console/tasks`);
    const cut = await page.evaluate(
      "[...document.querySelectorAll('td.skill')].filter((one) => one.firstElementChild.offsetWidth > one.clientWidth).length",
    );
    expect(cut).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);
});
