import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { type ForeignAgent, startForeignAgent } from '../../kit/console/foreign-agent.js';
import { seed, startSeeded } from '../../kit/console/seeded.mjs';
import { Watched } from '../../kit/console/watched.js';

const found = findBrowser();
const described = found === undefined ? describe.skip : describe;

/** Themes beside the light one, by what the system asks for. */
const THEMES = [
  { colorScheme: 'dark', contrast: 'no-preference' },
  { colorScheme: 'light', contrast: 'more' },
  { colorScheme: 'dark', contrast: 'more' },
] as const;

/** Answers of the API that have nothing in them. */
const EMPTY: readonly (readonly [path: RegExp, answer: object])[] = [
  [/\/api\/tasks\?/, { tasks: [], states: {}, isCut: false }],
  [/\/api\/approvals$/, { questions: [], others: 0, isCut: false }],
  [/\/api\/dead-letters/, { deadLetters: [], count: 0, isCut: false, receivers: [] }],
  [/\/api\/.*\/webhooks$/, { webhooks: [], attempts: [], stopped: [] }],
  [/\/api\/.*\/events\?/, { events: [], latest: 0 }],
  [/\/api\/.*\/raw\?/, { events: [] }],
  [/\/api\/platform\/queue$/, { counts: {}, oldestWaitSeconds: 0, tenants: [], next: [], tasks: [] }],
  [/\/api\/platform\/workers$/, { processes: [], orphans: [] }],
  [/\/api\/platform\/health$/, { checks: [], redis: [], processes: [], now: '2026-11-22T20:00:00.000Z' }],
];

described('the console', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startSeeded>>;
  let tasks: Awaited<ReturnType<typeof seed>>;
  let foreign: ForeignAgent;

  beforeAll(async () => {
    foreign = await startForeignAgent();
    service = await startSeeded({ ...foreign.variables, REGISTRY: 'true' });
    tasks = await seed(service.address, service.hooks);
    browser = await openBrowser(found ?? '');
  }, 90_000);
  afterAll(async () => {
    await browser.close();
    await service.close();
    await foreign.stop();
  });

  const tabs = (): readonly string[] =>
    ['', '/conversation', '/artifacts', '/webhooks', '/tree', '/raw'].map((tab) => `/tasks/${tasks.refund}${tab}`);
  /** Every screen that reads something. */
  const reading = (): readonly string[] => [
    ...['/tasks', ...tabs()],
    ...['/approvals', '/webhooks', '/agents', '/agents/remote', '/agents/registry', '/playground'],
    ...['/queue', '/workers', '/health', '/me'],
  ];

  /** Visits screens, two at a time, and collects what is wrong with each. */
  async function visit(
    screens: readonly string[],
    judge: (watched: Watched, where: string) => Promise<Faults>,
    prepare: (page: Page) => Promise<void> = () => Promise.resolve(),
  ): Promise<Readonly<Record<string, unknown>>> {
    const left = [...screens];
    const barriers: Record<string, unknown> = {};
    const visitor = async (): Promise<void> => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
      const watched = await Watched.of(await context.newPage(), [service.address]);
      await prepare(watched.page);
      for (let where = left.shift(); where !== undefined; where = left.shift()) {
        await watched.page.setViewportSize({ width: 1280, height: 800 });
        await watched.page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference' });
        for (const [what, faults] of await judge(watched, where)) barriers[`${where}, ${what}`] = faults;
      }
      if (watched.faults.length > 0) barriers.faults = watched.faults;
      // A request that is still on its way through `prepare` would fail the test.
      await watched.page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    };
    await Promise.all([visitor(), visitor()]);
    return barriers;
  }

  it('has no barrier on any screen, in any theme and at any width', async () => {
    const screens = [
      ...reading(),
      ...['/tasks?state=rejected', '/tasks?skill=none', `/tasks/${tasks.research}`, `/tasks/${tasks.imported}`],
      ...[`/tasks/${tasks.research}/tree`, `/tasks/${tasks.research}/artifacts`, `/tasks/${tasks.imported}/webhooks`],
      ...['/bundle', `/compare?a=${tasks.imported}&b=${tasks.research}`, '/nowhere'],
    ];
    const barriers = await visit(screens, async (watched, where) => {
      await watched.goto(`${service.address}/console${where}`);
      const wide = await inEachTheme(watched);
      const narrow: (readonly [string, unknown])[] = [];
      for (const width of [768, 390, 320]) {
        await watched.page.setViewportSize({ width, height: 800 });
        const overflow = await watched.overflow();
        if (overflow > 0) narrow.push([`too wide at ${String(width)} px`, overflow]);
      }
      const violations = await watched.violations();
      return [...wide, ...narrow, ...(violations.length === 0 ? [] : [['narrow', violations] as const])];
    });
    expect(barriers).toEqual({});
  }, 180_000);

  it.each([
    ['loading', () => new Promise<never>(() => undefined)],
    ['failed', () => ({ status: 500, body: { error: { message: 'Internal error' } } })],
    [
      'forbidden',
      () => ({
        status: 403,
        body: { error: { message: 'The scope a2a:tasks.observe is missing' } },
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="a2a:tasks.observe"' },
      }),
    ],
  ] as const)(
    'has no barrier on any screen that is %s',
    async (state, answer) => {
      const prepare = async (page: Page): Promise<void> => {
        await page.route(
          /\/console\/api\/|\/\.well-known\/agent-card\.json|\/skills\/|\/registry\/(agents|entries)/,
          async (route) => {
            const { status, body, headers = {} }: Refusal = await answer();
            await route.fulfill({ status, json: body, headers });
          },
        );
      };
      const barriers = await visit(
        reading(),
        async (watched, where) => {
          await watched.page.goto(`${service.address}/console${where}`);
          // The playground can be used without what it reads.
          const box = where === '/playground' ? 'main h1' : '.state-box';
          const shown = state === 'loading' && where !== '/playground' ? '[aria-busy]' : box;
          await watched.page.locator(shown).first().waitFor();
          // The state looks alike on every screen: its colours are judged on two.
          return ['/tasks', '/playground'].includes(where) ? inEachTheme(watched) : inLightTheme(watched);
        },
        prepare,
      );
      expect(barriers).toEqual({});
    },
    120_000,
  );

  it('has no barrier on any screen that has nothing to show, or less than there is', async () => {
    const prepare = async (page: Page): Promise<void> => {
      for (const [path, json] of EMPTY) await page.route(path, (route) => route.fulfill({ json }));
      await page.route(/\/api\/.*\/content$/, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...((await response.json()) as object), trimmed: true } });
      });
    };
    const screens = [
      '/tasks',
      '/tasks?skill=none',
      ...tabs(),
      '/approvals',
      '/webhooks',
      '/queue',
      '/workers',
      '/health',
    ];
    const barriers = await visit(
      screens,
      async (watched, where) => {
        await watched.goto(`${service.address}/console${where}`);
        return inEachTheme(watched);
      },
      prepare,
    );
    expect(barriers).toEqual({});
  }, 120_000);

  it('has names for what a screen reader meets in the list and the timeline, and every flow has a key', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const { page, faults } = await Watched.of(await context.newPage(), [service.address]);
    await page.goto(`${service.address}/console/tasks`);
    await page.locator('tr.open-row').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.lanes .lane').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('tr.open-row').first().waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);
});

interface Refusal {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

type Faults = readonly (readonly [what: string, found: unknown])[];

async function inLightTheme(watched: Watched): Promise<Faults> {
  const light = await watched.violations();
  return light.length === 0 ? [] : [['light', light]];
}

/** All rules in the light theme, and those of colours in the others. */
async function inEachTheme(watched: Watched): Promise<Faults> {
  const faults = [...(await inLightTheme(watched))];
  for (const theme of THEMES) {
    await watched.page.emulateMedia(theme);
    const colours = await watched.colourViolations();
    if (colours.length > 0) faults.push([`${theme.colorScheme}, contrast ${theme.contrast}`, colours]);
  }
  return faults;
}
