import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { Caller, startSeeded } from '../../kit/console/seeded.mjs';
import { Watched } from '../../kit/console/watched.js';

const found = findBrowser();
const described = found === undefined ? describe.skip : describe;

const UNTIL = /\(until .+\d\d:\d\d:\d\d\)/;

described('the console for an operator', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startSeeded>>;
  let caller: Caller;
  let context: BrowserContext;
  let watched: Watched;

  beforeAll(async () => {
    service = await startSeeded();
    caller = new Caller(service.address, {});
    browser = await openBrowser(found ?? '');
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    watched = await Watched.of(await context.newPage(), [service.address]);
  }, 90_000);
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const open = (path: string): Promise<void> => watched.goto(`${service.address}/console${path}`);

  it('shows why a task and each attempt failed in list, page, timeline, tree and at its parent (C-1)', async () => {
    const { page, faults } = watched;
    const outer = await caller.begin('broken', 'outer');
    const alone = await caller.begin('broken', 'alone');
    for (const id of [outer, alone]) await caller.until(id, 'TASK_STATE_FAILED');
    const read = await fetch(`${service.address}/console/api/tasks/${outer}/tree`);
    const { tasks } = (await read.json()) as { readonly tasks: readonly { readonly id: string }[] };
    const inner = tasks[1]?.id ?? '';
    const error = 'TypeError: price 2 is undefined';

    await open('/tasks?state=failed');
    const row = page.locator('tr.open-row', { has: page.locator(`a[href$="${alone}"]`) });
    expect(await row.locator('.why').innerText()).toMatch(
      /^The skill failed unexpectedly\. Reference: [0-9a-f-]{36} \(/,
    );
    expect(await row.locator('.why').innerText()).toContain(error);

    await open(`/tasks/${inner}`);
    const box = await page.getByRole('region', { name: 'Why it failed' }).innerText();
    expect(box).toMatch(/^The skill failed unexpectedly\. Reference: ([0-9a-f-]{36})\n/);
    expect(box).toMatch(/Turn 1, attempt 2: TypeError: price 2 is undefined Reference [0-9a-f-]{36}/);
    expect(box).toMatch(/Turn 1, attempt 1: TypeError: price 1 is undefined Reference [0-9a-f-]{36}/);
    const runs = page.getByRole('region', { name: 'The timeline as a list' });
    for (const attempt of ['1', '2']) {
      await runs
        .getByText(new RegExp(`^TypeError: price ${attempt} is undefined \\(reference [0-9a-f-]{36}\\)$`))
        .waitFor();
    }

    await open(`/tasks/${outer}`);
    await runs
      .getByRole('row', { name: /Child broken/ })
      .first()
      .getByText(error)
      .waitFor();
    await open(`/tasks/${outer}/tree`);
    await page.locator('.tree .why', { hasText: error }).waitFor();
    expect(faults).toEqual([]);
  }, 60_000);

  it('says what a parent waits for, down to the person, with the deadline of the answer (C-6)', async () => {
    const { page, faults } = watched;
    const parent = await caller.begin('purchase', '12,400 EUR to Lamp Works');
    await caller.until(parent, 'TASK_STATE_INPUT_REQUIRED');
    await open(`/tasks/${parent}`);
    const now = page.locator('.facts div', { has: page.getByText('Now', { exact: true }) });
    await now.getByText('Waits for payout, which asks a person').waitFor();
    expect(await now.innerText()).toMatch(UNTIL);
    await now.getByRole('link', { name: 'payout' }).click();
    await now.getByText('Waits for an answer').waitFor();
    expect(await now.innerText()).toMatch(UNTIL);
    await page.getByRole('link', { name: /^Tree/ }).click();
    expect(await page.locator('.tree .here').innerText()).toMatch(/waits for an answer \(until/);
    expect(await page.locator('.tree').innerText()).toContain('waits for its children');
    expect(faults).toEqual([]);
  }, 60_000);

  it('finds a task by the beginning of its id, offers the skills, and counts what the filters leave (C-7)', async () => {
    const { page, faults } = watched;
    const id = await caller.begin('translate', 'a lamp');
    await caller.until(id, 'TASK_STATE_COMPLETED');
    await open('/tasks?skill=refund');
    const search = page.getByRole('searchbox', { name: 'Task' });
    await search.fill('00000000-0000');
    await search.press('Enter');
    await page.getByText('No task has an id that begins with 00000000-0000.').waitFor();
    await search.fill('xyz');
    await search.press('Enter');
    await page.getByText('write at least 4 of them').waitFor();
    await search.fill(id.slice(0, 8).toUpperCase());
    await search.press('Enter');
    await page.getByRole('heading', { name: 'translate' }).waitFor();

    await open('/tasks?skill=translate');
    const chips = page.getByRole('group', { name: 'States' }).getByRole('button');
    expect(await chips.allInnerTexts()).toEqual([
      expect.stringMatching(/^All\s1$/),
      expect.stringMatching(/^Completed\s1$/),
    ]);
    await page.getByRole('searchbox', { name: 'Client' }).focus();
    await page.locator('#offers-skill option[value=payout]').waitFor({ state: 'attached' });
    const more = await caller.begin('translate', 'another lamp');
    await caller.until(more, 'TASK_STATE_COMPLETED');
    await page.getByRole('button', { name: 'Completed 2' }).waitFor();
    expect(faults).toEqual([]);
  }, 60_000);

  it('shows the next attempt of a webhook, and does not call a Redis without a bound good (C-11)', async () => {
    const { page, faults } = watched;
    const id = await caller.begin('translate', 'a lamp', { webhook: `${service.hooks}/busy` });
    await caller.until(id, 'TASK_STATE_COMPLETED');
    await open(`/tasks/${id}/webhooks`);
    await page.getByRole('region', { name: 'Receivers' }).getByText('next attempt').waitFor();
    await open('/health');
    const memory = page.locator('.checks li', { hasText: 'redis memory' });
    expect(await memory.innerText()).toContain('Check it');
    expect(faults).toEqual([]);
  }, 60_000);
});
