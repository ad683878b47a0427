import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { personsIssuer } from '../../kit/console/persons-issuer.js';
import { startSeeded } from '../../kit/console/seeded.mjs';
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

  it('logs in by authorization code with PKCE, and comes back to the page that was asked for', async () => {
    const issuer = await personsIssuer();
    const service = await startSeeded({
      ...{ JWT_ISSUER: issuer.url, JWT_AUDIENCE: 'https://parley.example', CONSOLE_CLIENT_ID: 'console' },
      ...{ OWNERSHIP: 'client-and-user', CONSOLE_PLATFORM_CLIENTS: 'console' },
    });
    try {
      const watched = await Watched.of(await browser.newPage(), [service.address, new URL(issuer.url).origin]);
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
