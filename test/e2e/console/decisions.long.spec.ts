import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { Caller, startSeeded } from '../../kit/console/seeded.mjs';
import { Watched } from '../../kit/console/watched.js';

const found = findBrowser();
const described = found === undefined ? describe.skip : describe;

const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });

/** Forms that are not touched, and what a person does with each to answer it. */
const FORMS: readonly (readonly [
  what: string,
  schema: object,
  fill: (form: Page) => Promise<void>,
  answer: unknown,
])[] = [
  [
    'a required yes or no',
    object({ isFragile: { type: 'boolean', title: 'Is it fragile' } }, ['isFragile']),
    (page) => page.getByRole('group', { name: 'Is it fragile' }).getByLabel('No', { exact: true }).check(),
    { isFragile: false },
  ],
  [
    'a yes or no with a default',
    object({ isFragile: { type: 'boolean', title: 'Is it fragile', default: true } }),
    (page) => page.getByLabel('No', { exact: true }).check(),
    { isFragile: false },
  ],
  [
    'a choice with a default',
    object({ colour: { enum: ['red', 'blue'], default: 'red', title: 'Colour' } }, ['colour']),
    async (page) => {
      await page.getByLabel('Colour').selectOption('blue');
    },
    { colour: 'blue' },
  ],
  [
    'a text and a number with defaults',
    object({ note: { type: 'string', default: 'yes', title: 'Note' }, sum: { type: 'number', default: 3 } }),
    (page) => page.getByLabel('Note').fill('no'),
    { note: 'no' },
  ],
  [
    'an object as JSON',
    object({ inner: { type: 'object', properties: { a: { type: 'boolean' } } } }),
    (page) => page.getByLabel('Your answer, as JSON').fill('{"inner":{"a":false}}'),
    { inner: { a: false } },
  ],
];

/** Forms that ask for a decision. */
const DECISIONS: readonly (readonly [what: string, schema: object, yes: unknown])[] = [
  [
    'a boolean with a field beside it',
    object({ approve: { type: 'boolean' }, note: { type: 'string' } }, ['approve']),
    { approve: true },
  ],
  ['a boolean that approves by default', object({ approve: { type: 'boolean', default: true } }), { approve: true }],
  ['choices', object({ decision: { enum: ['reject', 'approve'], default: 'reject' } }), { decision: 'approve' }],
  ['a word', { enum: ['approve', 'reject'] }, 'approve'],
  [
    'a word or an object',
    {
      anyOf: [
        { enum: ['approve', 'reject'] },
        object({ approved: { type: 'boolean' }, reason: { type: 'string' } }, ['approved']),
      ],
    },
    { approved: true },
  ],
];

described('the decisions of persons in the console', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startSeeded>>;
  let caller: Caller;

  beforeAll(async () => {
    service = await startSeeded();
    caller = new Caller(service.address, {});
    browser = await openBrowser(found ?? '');
  }, 90_000);
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  /** Asks, and opens the form. Counts the answers that the page sends. */
  async function asked(text: string, where: (id: string) => string) {
    const id = await caller.begin('ask', text);
    await caller.until(id, 'TASK_STATE_INPUT_REQUIRED');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const { page, faults } = await Watched.of(await context.newPage(), [service.address]);
    const sent: string[] = [];
    page.on('request', (request) => {
      const isAnswer = request.url().endsWith('/answer') || (request.postData() ?? '').includes('"SendMessage"');
      if (isAnswer) sent.push(request.postData() ?? '');
    });
    await page.goto(`${service.address}/console${where(id)}`);
    const answerOf = async (): Promise<unknown> => {
      await caller.until(id, 'TASK_STATE_COMPLETED');
      const { status } = (await caller.call('GetTask', { id })) as {
        status: { message: { parts: { text: string }[] } };
      };
      return JSON.parse(status.message.parts[0]?.text.slice('Decided: '.length) ?? 'null');
    };
    return { id, page, faults, sent, answerOf, close: () => context.close() };
  }

  const PLACES = [
    ['on the page of approvals', () => '/approvals'],
    ['in the conversation', (id: string) => `/tasks/${id}/conversation`],
  ] as const;

  const CASES = PLACES.flatMap(([place, where]) => FORMS.map((form) => [place, ...form, where] as const));

  it.each(CASES)(
    '%s sends no untouched form: %s (C-2, I20)',
    async (_place, _what, schema, fill, answer, where) => {
      const { page, sent, faults, answerOf, close } = await asked(JSON.stringify(schema), where);
      const button = page.getByRole('button', { name: 'Send the answer' });
      await button.click();
      await button.dblclick();
      await button.focus();
      await page.keyboard.press('Enter');
      expect(sent).toEqual([]);
      await fill(page);
      await button.dblclick();
      expect(await answerOf()).toEqual(answer);
      await page.getByText(`Answered: `).waitFor();
      expect(sent).toHaveLength(1);
      expect(faults).toEqual([]);
      await close();
    },
    60_000,
  );

  const DECIDED = PLACES.flatMap(([place, where]) => DECISIONS.map((form) => [place, ...form, where] as const));

  it.each(DECIDED)(
    '%s decides by a button for each outcome, and asks before it rejects: %s (C-2, I20)',
    async (_place, _what, schema, yes, where) => {
      const { page, sent, faults, answerOf, close } = await asked(JSON.stringify(schema), where);
      const approve = page.getByRole('button', { name: 'Approve', exact: true });
      const reject = page.getByRole('button', { name: 'Reject', exact: true });
      await approve.waitFor();
      for (const field of await page.locator('main form input[type=text]').all()) await field.press('Enter');
      const dialog = page.getByRole('dialog');
      // The key that is held down meets the button that goes back.
      await reject.press('Enter');
      await dialog.getByText('It cannot be taken back.').waitFor();
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await reject.dblclick();
      await dialog.getByRole('button', { name: 'Go back' }).click();
      expect(sent).toEqual([]);
      await approve.dblclick();
      expect(await answerOf()).toEqual(yes);
      await page.getByText('Answered: Approve').waitFor();
      expect(sent).toHaveLength(1);
      expect(faults).toEqual([]);
      await close();
    },
    60_000,
  );

  it('rejects once a person has confirmed it, and says so', async () => {
    const schema = object({ approve: { type: 'boolean', title: 'Pay it' }, limit: { type: 'number' } }, ['approve']);
    const { page, sent, answerOf, close } = await asked(JSON.stringify(schema), () => '/approvals');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).dblclick();
    expect(await answerOf()).toEqual({ approve: false });
    await page.getByText('Answered: Reject').waitFor();
    expect(sent).toHaveLength(1);
    await close();
  }, 60_000);

  it('gives no answer to a question that has taken the place of the one that is shown', async () => {
    const { id, page, sent, close } = await asked('ask me', (task) => `/tasks/${task}/conversation`);
    await page.getByLabel('Your answer').fill('to the first');
    // The page does not learn of the second question.
    await page.route('**/console/api/**', () => new Promise<never>(() => undefined));
    await caller.begin('ask', 'from elsewhere', { taskId: id });
    await caller.until(id, 'TASK_STATE_INPUT_REQUIRED');
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByText('the agent asks something else now').waitFor();
    expect(sent).toEqual([]);
    await close();
  }, 60_000);

  it('gives no message that has begun a task to the question of that task, and offers to send it again after the end', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const { page, faults } = await Watched.of(await context.newPage(), [service.address]);
    await page.goto(`${service.address}/console/playground`);
    await page.getByLabel('Skill').selectOption('ask');
    await page.getByLabel('Message').fill('begin');
    await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
    await page.getByText('Question 1?').first().waitFor();
    const wire = page.getByRole('region', { name: 'Wire' }).or(page.locator('.wire'));
    expect(await wire.getByText('SendStreamingMessage', { exact: true }).count()).toBe(1);
    expect(await page.getByLabel('Message').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Send to the task' }).click();
    expect(await wire.getByText('SendStreamingMessage', { exact: true }).count()).toBe(1);
    await page.getByLabel('Your answer').fill('done');
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByRole('button', { name: 'Send again' }).waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('begin');
    expect(await page.getByRole('button', { name: 'CancelTask' }).count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);
});
