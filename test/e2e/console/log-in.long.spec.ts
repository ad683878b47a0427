import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { type PersonsIssuer, personsIssuer } from '../../kit/console/persons-issuer.js';
import { Caller, startSeeded } from '../../kit/console/seeded.mjs';
import { eventually } from '../../kit/run/eventually.js';
import { freeLoopbackPort } from '../../../src/platform/redis/embedded/free-port.js';
import { Watched } from '../../kit/console/watched.js';

const found = findBrowser();
const described = found === undefined ? describe.skip : describe;

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
      const watched = await Watched.of(await browser.newPage(), [service.address]);
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

  /** A service whose people log in at an issuer, and a page of it. Everything ends with the test. */
  async function withIssuer(
    options: Parameters<typeof personsIssuer>[0],
    variables: Readonly<Record<string, string>>,
    walk: (page: LoggedInPage) => Promise<void>,
  ): Promise<void> {
    const issuer = await personsIssuer(options);
    const service = await startSeeded({
      ...{ JWT_ISSUER: issuer.url, JWT_AUDIENCE: options?.audience ?? 'https://parley.example' },
      ...{ CONSOLE_CLIENT_ID: 'console', OWNERSHIP: 'client-and-user', CONSOLE_PLATFORM_CLIENTS: 'console' },
      ...variables,
    });
    try {
      const watched = await Watched.of(await browser.newPage(), [service.address, new URL(issuer.url).origin]);
      await walk({ issuer, address: service.address, page: watched.page });
      expect(watched.faults).toEqual([]);
      await watched.page.close();
    } finally {
      await service.close();
      await issuer.close();
    }
  }

  it('logs in by authorization code with PKCE, comes back to the page that was asked for, finds a task and cancels it', async () => {
    await withIssuer({}, {}, async ({ issuer, address, page }) => {
      await page.goto(`${address}/console/tasks?skill=index`);
      const asked = page.waitForRequest((request) => request.headers().authorization !== undefined);
      await page.getByRole('button', { name: 'Log in' }).click();
      const { authorization = '' } = (await asked).headers();
      await page.getByText('No task matches').waitFor();
      expect(page.url()).toBe(`${address}/console/tasks?skill=index`);
      expect(page.url()).not.toMatch(/code=|token/);
      expect(issuer.challenges).toEqual([{ method: 'S256', matches: true }]);
      const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
      expect(kept).not.toMatch(/eyJ|access_token/);

      const id = await new Caller(address, { authorization }).begin('index', 'Everything');
      await page
        .getByRole('row')
        .filter({ hasText: id.slice(0, 8) })
        .getByRole('link')
        .click();
      await page.locator('.lanes .lane').first().waitFor();
      await page.getByRole('button', { name: 'Cancel task' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
      await page.locator('header').getByText('Canceled').waitFor();
      await page.getByRole('link', { name: 'Health' }).click();
      await page.getByText('role worker').waitFor();
    });
  }, 90_000);

  it('binds its token to a key of the page (DPoP): each request has a proof, and another page cannot use the token', async () => {
    const port = String(await freeLoopbackPort());
    // A proof names the address that was called.
    const variables = { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, DPOP: 'true' };
    await withIssuer({ audience: 'parley' }, variables, async ({ issuer, address, page }) => {
      // The issuer of the tests knows proofs by its hooks, and does not say so.
      await page.route(`${issuer.url}/.well-known/openid-configuration`, async (route) => {
        const response = await route.fetch();
        const metadata = (await response.json()) as object;
        await route.fulfill({ response, json: { ...metadata, dpop_signing_alg_values_supported: ['ES256'] } });
      });
      const sent: { readonly authorization: string; readonly proof: string | undefined }[] = [];
      page.on('request', (request) => {
        const { authorization, dpop } = request.headers();
        if (authorization !== undefined) sent.push({ authorization, proof: dpop });
      });
      await page.goto(`${address}/console/health`);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('role worker').waitFor();
      expect(sent.length).toBeGreaterThan(1);
      expect(sent.filter(({ authorization }) => !authorization.startsWith('DPoP '))).toEqual([]);
      expect(new Set(sent.map(({ proof }) => proof)).size).toBe(sent.length);
      const [stolen] = sent;
      const path = `${address}/console/api/me`;
      const asBearer = (stolen?.authorization ?? '').replace('DPoP', 'Bearer');
      expect((await fetch(path, { headers: { authorization: asBearer } })).status).toBe(401);
      expect((await fetch(path, { headers: { authorization: stolen?.authorization ?? '' } })).status).toBe(401);
    });
  }, 90_000);

  it('asks for a new log-in when the token ends while a page is open, and comes back to that page', async () => {
    await withIssuer({ lifeSeconds: -26 }, {}, async ({ address, page }) => {
      await page.goto(`${address}/console/tasks?state=failed`);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('Live', { exact: true }).waitFor();
      // The service takes a token for 30 s more, and lets a feed that is open outlive it; what is asked for afterwards is refused.
      const ended = page.getByText('Your session has ended');
      const spans = page.getByLabel('Updated');
      await eventually(
        async () => {
          if (await ended.isVisible()) return;
          const isAny = (await spans.inputValue({ timeout: 500 })) === '';
          await spans.selectOption(isAny ? '3600' : '', { timeout: 500 });
          throw new Error('The token is taken still');
        },
        { timeoutMs: 15_000, intervalMs: 300 },
      );
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('Live', { exact: true }).waitFor();
      expect(await page.evaluate('location.href')).toContain('/console/tasks?state=failed');
    });
  }, 90_000);
});

interface LoggedInPage {
  readonly issuer: PersonsIssuer;
  readonly address: string;
  readonly page: Page;
}
