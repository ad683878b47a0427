import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import axe from 'axe-core';
import { OAuth2Server } from 'oauth2-mock-server';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { HOSTILE_TEXTS } from '../../kit/console/hostile-payloads.js';
import { Caller, seed, startSeeded } from '../../kit/console/seeded.mjs';

const found = findBrowser();
// A browser is no package of npm: where none is, nothing of this is tested, and that must be seen.
if (found === undefined)
  process.stderr.write('\n!! NO CHROMIUM: THE CONSOLE IS NOT TESTED IN A BROWSER. Set CHROMIUM to its path.\n\n');
const described = found === undefined ? describe.skip : describe;

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe says of a page, and what it has done that it must not. */
class Watched {
  readonly faults: string[] = [];

  constructor(
    readonly page: Page,
    private readonly origins: readonly string[],
  ) {
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // Chromium writes a line for each answer that is an error; what the page makes of it is what is tested.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isAnswer) this.faults.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'blob:' && !this.origins.includes(origin)) this.faults.push(`request: ${request.url()}`);
    });
    page.on('dialog', (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  async goto(url: string): Promise<void> {
    await this.page.goto(url);
    await this.page.locator('main h1').first().waitFor();
    await this.page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
  }

  async violations(): Promise<readonly string[]> {
    await this.page.evaluate(axe.source);
    const ask = `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations)`;
    const violations: readonly Violation[] = await this.page.evaluate(ask);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }
}

described('the console in a browser', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startSeeded>>;
  let tasks: Awaited<ReturnType<typeof seed>>;
  let context: BrowserContext;

  beforeAll(async () => {
    service = await startSeeded();
    tasks = await seed(service.address, service.hooks);
    browser = await openBrowser(found ?? '');
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  }, 90_000);
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const open = async (where: string, of = context): Promise<Watched> => {
    const watched = new Watched(await of.newPage(), [service.address]);
    await watched.goto(`${service.address}/console${where}`);
    return watched;
  };

  const screens = (): readonly string[] => [
    ...['/tasks', '/tasks?state=rejected', '/tasks?skill=none', `/tasks/${tasks.research}`, `/tasks/${tasks.imported}`],
    ...['conversation', 'artifacts', 'webhooks', 'tree', 'raw'].map((tab) => `/tasks/${tasks.refund}/${tab}`),
    ...[`/tasks/${tasks.research}/tree`, `/tasks/${tasks.imported}/webhooks`],
    ...['/approvals', '/webhooks', '/agents', '/playground', '/queue', '/workers', '/health', '/me', '/nowhere'],
  ];

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 768],
  ] as const)(
    'has no barrier on any screen, %s, %i px wide',
    async (colorScheme, width) => {
      const themed = await browser.newContext({
        colorScheme,
        viewport: { width, height: 800 },
        reducedMotion: 'reduce',
      });
      const watched = new Watched(await themed.newPage(), [service.address]);
      const barriers: Record<string, unknown> = {};
      for (const where of screens()) {
        if (where === '/nowhere') await watched.page.goto(`${service.address}/console/nowhere`);
        else await watched.goto(`${service.address}/console${where}`);
        const violations = await watched.violations();
        if (violations.length > 0) barriers[where] = violations;
        const overflow = await watched.page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (Number(overflow) > 0) barriers[`${where} is too wide`] = overflow;
      }
      expect({ barriers, faults: watched.faults }).toEqual({ barriers: {}, faults: [] });
      await themed.close();
    },
    180_000,
  );

  it('shows a new task without a reload, and cancels it by keyboard, with the reason in the dialog', async () => {
    const { page, faults } = await open('/tasks?skill=index');
    const caller = new Caller(service.address, {});
    const id = await caller.begin('index', 'Everything');
    const row = page.getByRole('row').filter({ hasText: id.slice(0, 8) });
    await row.waitFor();
    await row.getByRole('checkbox').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Cancel 1 task' }).press('Enter');
    await page.getByLabel('Reason').fill('no longer needed');
    await page.keyboard.press('Enter');
    await row.getByText('Canceled').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('answers a question in the conversation, and the page follows the task to its end', async () => {
    const caller = new Caller(service.address, {});
    const id = await caller.begin('refund', 'Refund order A-1.');
    await caller.until(id, 'TASK_STATE_INPUT_REQUIRED');
    const { page, faults } = await open(`/tasks/${id}/conversation`);
    await page.getByLabel('Your answer').fill('yes');
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByText('Refunded.').waitFor();
    await page.locator('header').getByText('Completed').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('makes a form of the schema of a question, and gives the answer to that question', async () => {
    const caller = new Caller(service.address, {});
    const id = await caller.begin('payout', '84 EUR to Hall & Co');
    await caller.until(id, 'TASK_STATE_INPUT_REQUIRED');
    const { page, faults } = await open('/approvals');
    const question = page.getByRole('region', { name: `Question of task ${id.slice(0, 8)}` });
    await question.getByText('Pay 84 EUR to Hall & Co?').waitFor();
    await question.getByLabel('Pay it').check();
    await question.getByLabel('At most, EUR').fill('90');
    await question.getByRole('button', { name: 'Send the answer' }).click();
    await caller.until(id, 'TASK_STATE_COMPLETED');
    await question.waitFor({ state: 'detached' });
    await page.goto(`${service.address}/console/tasks/${id}/conversation`);
    await page.getByText('Paid, at most 90 EUR.').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('cuts a stream in the playground and resumes it behind the last event', async () => {
    const { page, faults } = await open('/playground');
    await page.getByLabel('Skill').selectOption('translate');
    await page.getByLabel('Message').fill(Array.from({ length: 60 }, (_unused, at) => `w${String(at)}`).join(' '));
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/id: 6-/).waitFor();
    await page.getByRole('button', { name: 'Cut the stream' }).click();
    await page.getByText('You have cut the stream').waitFor();
    await page.getByRole('button', { name: 'Resume the stream' }).click();
    await page.getByText('The stream has ended').waitFor();
    const words = Array.from({ length: 60 }, (_unused, at) => [...`w${String(at)}`].reverse().join(''));
    expect((await page.locator('.artifact .words').innerText()).trim().split(/\s+/)).toEqual(words);
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('delivers dead letters again after it has said how many', async () => {
    const { page, faults } = await open('/webhooks');
    await page.getByRole('button', { name: /Deliver \d+ letters? again/ }).click();
    await page.getByRole('button', { name: 'Deliver again' }).click();
    await page.getByText(/on the way/).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('shows every hostile text as text: nothing runs, nothing is loaded, no button is hidden', async () => {
    expect(HOSTILE_TEXTS.length).toBeGreaterThanOrEqual(120);
    const caller = new Caller(service.address, {});
    // As the words of a caller, and of an agent that gives them back as an artifact, a name and data.
    const id = await caller.begin('refund', HOSTILE_TEXTS.join('\n---\n'));
    await caller.until(id, 'TASK_STATE_INPUT_REQUIRED');
    const echoed = await caller.begin('mirror', HOSTILE_TEXTS.join('\n---\n'));
    await caller.until(echoed, 'TASK_STATE_COMPLETED');
    const watched = await open('/tasks');
    for (const task of [id, echoed]) {
      for (const tab of ['', '/conversation', '/artifacts', '/raw', '/tree']) {
        await watched.goto(`${service.address}/console/tasks/${task}${tab}`);
        const shown = await watched.page.evaluate(
          '({ ran: window.__ran, made: document.querySelectorAll("main script, main iframe, main object, main embed, main marquee, main style, main base, main meta").length })',
        );
        expect({ task, tab, shown }).toEqual({ task, tab, shown: { made: 0 } });
      }
    }
    const button = watched.page.getByRole('link', { name: 'Open in playground' });
    expect(await button.isVisible()).toBe(true);
    expect(await watched.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(watched.faults).toEqual([]);
    await watched.page.close();
  }, 120_000);

  it('loads little: at most 80 KB and 8 requests before the list is there', async () => {
    const fresh = await browser.newContext();
    const page = await fresh.newPage();
    let [bytes, requests] = [0, 0];
    page.on('response', (response) => {
      if (response.url().includes('/api/')) return;
      requests += 1;
      void response
        .request()
        .sizes()
        .then(({ responseBodySize }) => {
          bytes += responseBodySize;
        });
    });
    await page.goto(`${service.address}/console/tasks`);
    await page.getByRole('table').waitFor();
    expect(requests).toBeLessThanOrEqual(8);
    expect(bytes).toBeLessThanOrEqual(80_000);
    await fresh.close();
  }, 60_000);
});

described('the console with callers that log in', () => {
  const KEY = 'observer.secret-of-an-observer';
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(found ?? '');
  }, 60_000);
  afterAll(() => browser.close());

  it('takes a key, keeps it in memory only, and names the scope that a screen asks for', async () => {
    const entry = apiKeyEntry(KEY, { tenant: 'acme', scopes: 'a2a:tasks.observe' });
    const service = await startSeeded({ API_KEYS: entry });
    try {
      const watched = new Watched(await browser.newPage(), [service.address]);
      const { page } = watched;
      await page.goto(`${service.address}/console/webhooks`);
      await page.getByLabel('API key or access token').fill(KEY);
      await page.getByRole('button', { name: 'Open the console' }).click();
      await page.getByText('You may not see this').waitFor();
      await page.getByText('a2a:webhooks.operate', { exact: true }).waitFor();
      expect(await watched.violations()).toEqual([]);
      await page.getByRole('link', { name: 'Tasks' }).click();
      await page.getByText('No tasks yet').waitFor();
      const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
      expect(kept).not.toContain('secret');
      await page.reload();
      await page.getByLabel('API key or access token').waitFor();
      expect(watched.faults).toEqual([]);
      await page.close();
    } finally {
      await service.close();
    }
  }, 90_000);

  it('logs in by authorization code with PKCE, and comes back to the page that was asked for', async () => {
    const issuer = await personsIssuer();
    const service = await startSeeded({
      ...{ JWT_ISSUER: issuer.url, JWT_AUDIENCE: 'https://parley.example', CONSOLE_CLIENT_ID: 'console' },
      ...{ OWNERSHIP: 'client-and-user', CONSOLE_PLATFORM_CLIENTS: 'console' },
    });
    try {
      const watched = new Watched(await browser.newPage(), [service.address, new URL(issuer.url).origin]);
      const { page } = watched;
      await page.goto(`${service.address}/console/me`);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('ada', { exact: true }).first().waitFor();
      expect(new URL(page.url()).pathname).toBe('/console/me');
      expect(page.url()).not.toMatch(/code=|state=|token/);
      const [asked] = issuer.challenges;
      expect(asked).toEqual({ method: 'S256', matches: true });
      const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
      expect(kept).not.toMatch(/eyJ|access_token/);
      await page.getByRole('link', { name: 'Health' }).click();
      await page.getByText('role worker').waitFor();
      expect(watched.faults).toEqual([]);
      await page.close();
    } finally {
      await service.close();
      await issuer.close();
    }
  }, 90_000);
});

interface PersonsIssuer {
  readonly url: string;
  readonly challenges: { readonly method: unknown; readonly matches: boolean }[];
  readonly close: () => Promise<void>;
}

/** An issuer at which everybody is Ada. */
async function personsIssuer(): Promise<PersonsIssuer> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  const challenges: { method: unknown; matches: boolean }[] = [];
  let challenge: { readonly method: unknown; readonly text: unknown } | undefined;
  server.service.on(
    'beforeAuthorizeRedirect',
    (_redirect: unknown, request: { readonly query: Record<string, unknown> }) => {
      challenge = { method: request.query.code_challenge_method, text: request.query.code_challenge };
    },
  );
  server.service.on(
    'beforeTokenSigning',
    ({ header, payload }: SignedToken, { body }: { readonly body: Record<string, string> }) => {
      const digest = createHash('sha256')
        .update(body.code_verifier ?? '')
        .digest('base64url');
      if (challenge !== undefined) challenges.push({ method: challenge.method, matches: challenge.text === digest });
      challenge = undefined;
      header.typ = 'at+jwt';
      Object.assign(payload, {
        sub: 'ada',
        client_id: 'console',
        jti: String(Math.random()),
        aud: 'https://parley.example',
      });
      payload.scope = 'a2a:tasks.observe a2a:tasks.read a2a:platform.observe';
    },
  );
  server.service.on('beforeResponse', ({ body }: { readonly body: Record<string, unknown> }) => {
    delete body.id_token;
    delete body.refresh_token;
  });
  await server.start(0, '127.0.0.1');
  const { port } = server.address();
  const url = `http://127.0.0.1:${String(port)}`;
  server.issuer.url = url;
  return { url, challenges, close: () => server.stop() };
}

interface SignedToken {
  readonly header: Record<string, unknown>;
  readonly payload: Record<string, unknown>;
}
