import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** A page that notes what it has done that it must not: errors, reports of its policy, requests to other origins, dialogs. */
export class Watched {
  readonly faults: string[] = [];

  private constructor(
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

  /** @param origins that the page may ask */
  static async of(page: Page, origins: readonly string[]): Promise<Watched> {
    page.setDefaultTimeout(15_000);
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        console.error('policy: ' + violatedDirective + ' ' + blockedURI);
      });`,
    );
    return new Watched(page, origins);
  }

  /** Opens a screen and waits until it shows what it has read. */
  async goto(url: string): Promise<void> {
    await this.page.goto(url);
    await this.settle();
  }

  async settle(): Promise<void> {
    await this.page.locator('main h1, main .state-box').first().waitFor();
    await this.page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
  }

  /** What axe says of the page, by all rules of WCAG 2.2 AA. */
  violations(): Promise<readonly string[]> {
    return this.judge({ runOnly: RULES });
  }

  /** What axe says of its colours: all that another theme changes. */
  colourViolations(): Promise<readonly string[]> {
    return this.judge({ runOnly: { type: 'rule', values: ['color-contrast'] } });
  }

  /** By how much it is wider than its window, px. */
  async overflow(): Promise<number> {
    return Number(await this.page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  }

  private async judge(options: object): Promise<readonly string[]> {
    // An expression, and not a script of the page: its policy is not asked, and is not switched off.
    const isThere = await this.page.evaluate('typeof axe');
    if (isThere === 'undefined') await this.page.evaluate(axe.source);
    const ask = `axe.run(document, ${JSON.stringify({ ...options, resultTypes: ['violations'] })}).then(({ violations }) => violations)`;
    const violations: readonly Violation[] = await this.page.evaluate(ask);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }
}
