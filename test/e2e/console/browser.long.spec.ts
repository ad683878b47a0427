import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import { AgentStub } from '../../kit/stubs/agent-stub.js';
import { BadAgents } from '../../kit/stubs/bad-agent.js';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { type ForeignAgent, startForeignAgent } from '../../kit/console/foreign-agent.js';
import { HOSTILE_TEXTS } from '../../kit/console/hostile-payloads.js';
import { Caller, seed, startSeeded } from '../../kit/console/seeded.mjs';
import { Watched } from '../../kit/console/watched.js';

const found = findBrowser();
// A browser is no package of npm: where none is, nothing of this is tested, and that must be seen.
if (found === undefined)
  process.stderr.write('\n!! NO CHROMIUM: THE CONSOLE IS NOT TESTED IN A BROWSER. Set CHROMIUM to its path.\n\n');
const described = found === undefined ? describe.skip : describe;

described('the console in a browser', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startSeeded>>;
  let tasks: Awaited<ReturnType<typeof seed>>;
  let context: BrowserContext;

  let foreign: ForeignAgent;
  const stub = new AgentStub();
  const words = HOSTILE_TEXTS.join(' ').slice(0, 5_000);
  const skill = {
    id: words.slice(0, 1_000),
    name: words,
    description: words,
    tags: HOSTILE_TEXTS,
    examples: [words],
  };
  const cards: Record<string, object> = {
    hostile: {
      name: words,
      description: words,
      version: words,
      skills: [skill],
      capabilities: { extensions: [{ uri: words }] },
    },
    refused: { name: words, capabilities: { extensions: words } },
  };
  const hostile = new BadAgents(
    { hostile: (response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end() },
    cards,
  );

  beforeAll(async () => {
    foreign = await startForeignAgent();
    await Promise.all([hostile.listen(), stub.start()]);
    const input = {
      ...{ type: 'object', required: ['order'] },
      properties: {
        order: { type: 'string', title: 'Order number' },
        colour: { title: 'Colour', enum: ['red', 'blue'] },
      },
    };
    stub.documents.set('/skills/hear/schema', JSON.stringify({ input }));
    const skills = { hear: { schema: `${stub.url}/skills/hear/schema` } };
    stub.extensions = [{ uri: 'urn:parley:extension:skill-schema:1', params: { skills } }];
    const hosts = [new URL(hostile.url).host, stub.host].map((host) => `${host}=127.0.0.1/32!http`);
    const allowed = [foreign.variables.EGRESS_ALLOW ?? '', ...hosts].join(';');
    service = await startSeeded({ ...foreign.variables, EGRESS_ALLOW: allowed, REGISTRY: 'true' });
    tasks = await seed(service.address, service.hooks);
    browser = await openBrowser(found ?? '');
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  }, 90_000);
  afterAll(async () => {
    await browser.close();
    await service.close();
    await foreign.stop();
    await Promise.all([hostile.close(), stub.stop()]);
  });

  const open = async (where: string, of = context): Promise<Watched> => {
    const watched = await Watched.of(await of.newPage(), [service.address]);
    await watched.goto(`${service.address}/console${where}`);
    return watched;
  };

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

  it('reads one stream for two tabs that show the same, and goes on in the other one when the first is closed', async () => {
    const shared = await browser.newContext();
    const asked: string[] = [];
    shared.on('request', (request) => {
      if (request.url().includes('/api/feed')) asked.push(request.url());
    });
    const [one, other] = [await open('/tasks?skill=refund', shared), await open('/tasks?skill=refund', shared)];
    for (const { page } of [one, other]) await page.getByText('Live', { exact: true }).waitFor();
    const rowIn = async ({ page }: Watched, id: string): Promise<void> => {
      await page.getByRole('row', { name: id.slice(0, 8) }).waitFor();
    };
    const caller = new Caller(service.address, {});
    const first = await caller.begin('refund', 'Refund order A-30001.');
    for (const tab of [one, other]) await rowIn(tab, first);
    expect(asked).toHaveLength(1);
    await one.page.close();
    const second = await caller.begin('refund', 'Refund order A-30002.');
    await rowIn(other, second);
    expect(asked).toHaveLength(2);
    expect([...one.faults, ...other.faults]).toEqual([]);
    await shared.close();
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
    await question.getByLabel('At most, EUR').fill('90');
    await question.getByRole('button', { name: 'Approve' }).click();
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

  it('has the webhook of a task deliver to a bin, and shows each signed request', async () => {
    const watched = await open('/playground');
    const { page, faults } = watched;
    await page.getByLabel('Skill').selectOption('translate');
    await page.getByLabel('Message').fill('The lamp is on the table');
    await page.getByLabel('With a webhook to a bin').check();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const bin = page.getByRole('region', { name: 'Webhook bin' });
    await bin.getByText('Signature verified').first().waitFor();
    await bin.getByText('statusUpdate, completed').waitFor();
    expect(await bin.getByText('Signature wrong').count()).toBe(0);
    await bin.getByText('Headers').first().click();
    expect(await bin.locator('pre').first().innerText()).toMatch(/webhook-signature: v1,/);
    // Registered on a task that has ended: the last event comes at once.
    const before = await bin.getByText('Signature verified').count();
    await page.getByRole('button', { name: 'New task' }).click();
    await page.getByLabel('With a webhook to a bin').uncheck();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('region', { name: 'Task', exact: true }).getByText('Completed').waitFor();
    await page.getByRole('button', { name: 'Webhook to a bin' }).click();
    await bin.getByText('Signature verified').nth(before).waitFor();
    expect([await watched.violations(), await watched.overflow()]).toEqual([[], 0]);
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('checks the card of this agent by rule, its signature by the published keys, and whether it answers', async () => {
    const watched = await open('/agents');
    const { page, faults } = watched;
    const check = page.getByRole('region', { name: 'Check of the card' });
    await check.getByText('As A2A asks').waitFor();
    await check.getByText(/A2A.AUTHN.02/).waitFor();
    await check.getByText('Signature verified').waitFor();
    await check.getByText('Answers', { exact: true }).first().waitFor();
    await check
      .getByText(/^200 after \d+ ms$/)
      .first()
      .waitFor();
    expect([await watched.violations(), await watched.overflow()]).toEqual([[], 0]);
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('makes a form of the contract that another agent shows for its skill', async () => {
    const watched = await open('/playground');
    const { page, faults } = watched;
    await page.getByRole('combobox', { name: /^Agent/ }).selectOption('url');
    await page.getByLabel('URL of the agent or its card').fill(stub.url);
    await page.getByRole('button', { name: 'Read its card' }).click();
    await page.getByLabel('Order number').fill('A-17');
    await page.getByLabel('Colour').selectOption('blue');
    await page.getByLabel('How').selectOption('wait');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The call has ended').waitFor();
    expect(JSON.parse(stub.requests[0]?.text ?? '')).toMatchObject({
      params: { message: { parts: [{ data: { order: 'A-17', colour: 'blue' } }] }, metadata: { skillId: 'hear' } },
    });
    expect([await watched.violations(), await watched.overflow()]).toEqual([[], 0]);
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it("calls a skill of another vendor's agent from the playground, and shows the agent among those that are called", async () => {
    const { page, faults } = await open('/playground');
    await page.getByLabel('Skill').selectOption('their_echo');
    await page.getByLabel('Over').selectOption({ label: 'A2A 1.0, HTTP+JSON' });
    await page.getByLabel('Message').fill('Is anybody there?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('.artifact').getByText('Is anybody there?').waitFor();
    await page.getByRole('region', { name: 'Task', exact: true }).getByText('Completed').waitFor();
    await page.getByText('POST /message:stream').waitFor();
    await page.getByLabel('Over').selectOption({ label: 'A2A 0.3, JSON-RPC' });
    await page.getByRole('button', { name: 'GetTask' }).click();
    await page.getByText('200 GetTask').waitFor();
    await page.getByRole('region', { name: 'Task', exact: true }).getByText('Completed').waitFor();
    expect(await page.locator('.wire pre', { hasText: 'tasks/get' }).count()).toBe(1);
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('link', { name: 'Called by this service' }).click();
    await page.getByRole('row').filter({ hasText: 'Interop 1.0.0' }).getByText('Good').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it("talks to another vendor's agent at a URL through the service, and says what it knows of it", async () => {
    const watched = await open('/playground');
    const { page, faults } = watched;
    await page.getByRole('combobox', { name: /^Agent/ }).selectOption('url');
    await page.getByLabel('URL of the agent or its card').fill(foreign.url);
    await page.getByRole('button', { name: 'Read its card' }).click();
    await page.getByText('The agent: Interop').click();
    await page.getByText('Signature absent').waitFor();
    await page.getByText('Answers', { exact: true }).first().waitFor();
    await page.getByText('No credential is sent to it').waitFor();
    await page.getByLabel('Message').fill('Is anybody out there?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('.artifact').getByText('Is anybody out there?').waitFor();
    await page.getByRole('region', { name: 'Task', exact: true }).getByText('Completed').waitFor();
    await page.getByText('The call has ended').waitFor();
    expect([await watched.violations(), await watched.overflow()]).toEqual([[], 0]);
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('shows the card of a hostile agent as text, and why a call to it has failed', async () => {
    const watched = await open(`/playground?agent=${encodeURIComponent(`${hostile.url}/hostile`)}`);
    const { page, faults } = watched;
    await page.getByText('The agent:').click();
    await page.getByText('Its card is at').waitFor();
    await page.getByLabel('Message').fill('Hello');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('form').getByText('redirects are not followed').waitFor();
    const shown = await page.evaluate(
      '({ ran: window.__ran, made: document.querySelectorAll("main script, main iframe, main object, main embed, main marquee, main style, main base, main meta").length })',
    );
    expect(shown).toEqual({ made: 0 });
    expect([await watched.violations(), await watched.overflow()]).toEqual([[], 0]);
    await watched.goto(`${service.address}/console/playground?agent=${encodeURIComponent(`${hostile.url}/refused`)}`);
    await page.getByText('Its card could not be read').waitFor();
    expect([await watched.violations(), await watched.overflow()]).toEqual([[], 0]);
    await watched.goto(`${service.address}/console/playground?agent=${encodeURIComponent(`${hostile.url}/hostile`)}`);
    cards.hostile = { ...cards.hostile, description: HOSTILE_TEXTS.slice(0, 40).join(' '), version: '2' };
    await page.reload();
    await page.getByText('The agent:').click();
    const changes = page.getByRole('region', { name: 'Changes of the card' });
    await changes.getByText('2 changes').waitFor();
    expect(await page.evaluate('window.__ran')).toBeUndefined();
    expect([await watched.violations(), await watched.overflow()]).toEqual([[], 0]);
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('approves an agent that was proposed to the registry, with the reason, and finds it by words', async () => {
    const proposed = await fetch(`${service.address}/registry/entries`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: foreign.url }),
    });
    expect(proposed.status).toBe(200);
    const { page, faults } = await open('/agents/registry');
    const agent = page.getByRole('region', { name: 'Agent Interop' });
    await agent.getByText('Waits for approval').waitFor();
    await agent.getByRole('button', { name: 'Approve' }).click();
    await page.getByLabel('Reason').fill('known to the house');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await agent.getByText('Approved').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('official server');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=official/);
    await agent.getByText('signature absent').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('begins a task again from one of its steps, says before what will run, and takes over the results before it', async () => {
    const { page, faults } = await open(`/tasks/${tasks.imported}`);
    await page.getByRole('button', { name: 'Run again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From').selectOption({ label: 'step check' });
    await dialog.getByText('Taken over, with their results: download').waitFor();
    await dialog.getByText('Run live: check').waitFor();
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL(/of=/);
    await page.locator('header').getByText('Completed').waitFor();
    await page.getByText(`Step download of turn 1 was taken over from task ${tasks.imported.slice(0, 8)}`).waitFor();
    await page.getByText(/Step check of turn 1 took/).waitFor();
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
    const watched = await open(`/tasks/${echoed}/artifacts`);
    expect(await watched.page.locator('.markdown').count()).toBe(1);
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

  it('gives a question that two tabs answer to one of them, and says to the other who was faster', async () => {
    const caller = new Caller(service.address, {});
    const id = await caller.begin('payout', '9 EUR to two approvers');
    await caller.until(id, 'TASK_STATE_INPUT_REQUIRED');
    const [one, other] = await Promise.all([open('/approvals'), open('/approvals')]);
    const formOf = ({ page }: Watched) => page.getByRole('region', { name: `Question of task ${id.slice(0, 8)}` });
    // The answer of the other tab is held until the first one has decided.
    let release = (): void => undefined;
    const decided = new Promise<void>((resolve) => {
      release = resolve;
    });
    await other.page.route('**/answer', async (route) => {
      await decided;
      await route.continue();
    });
    await formOf(other).getByRole('button', { name: 'Approve' }).click();
    await formOf(one).getByRole('button', { name: 'Approve' }).click();
    await caller.until(id, 'TASK_STATE_COMPLETED');
    release();
    await other.page.getByText('was answered already by').first().waitFor();
    expect([...one.faults, ...other.faults]).toEqual([]);
    for (const { page } of [one, other]) await page.close();
  }, 60_000);

  it('saves a task as a bundle, opens it without the service, and compares it with a run of its own', async () => {
    const { page, faults } = await open(`/tasks/${tasks.research}`);
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save bundle' }).click();
    const file = await (await waiting).path();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL(/of=/);
    await page.locator('header').getByText('Completed').waitFor();
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByText(/No difference|\d+ differences?/).waitFor();
    await page.getByRole('link', { name: 'Bundles' }).click();
    const asked: string[] = [];
    await page.getByLabel('File').setInputFiles(file);
    await page.getByText('From the file').waitFor();
    page.on('request', (request) => asked.push(request.url()));
    await page.locator('.lanes .lane').first().waitFor();
    for (const tab of ['Conversation', 'Artifacts', 'Webhooks', 'Tree', 'Raw']) {
      await page.getByRole('navigation', { name: 'Views of the task' }).getByRole('link', { name: tab }).click();
      await page.locator('main section.card').last().waitFor();
    }
    expect(await page.getByText('The brief is ready.').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'State then' }).first().click();
    await page.getByRole('region', { name: 'The task at event 1', exact: true }).getByText('Waiting').waitFor();
    expect(asked.filter((url) => url.includes('/tasks/'))).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('goes back and forward, and loads again, without losing the filter or the task', async () => {
    const { page, faults } = await open('/tasks?state=rejected');
    await page.getByRole('link', { name: 'refund' }).click();
    await page.getByRole('link', { name: 'Raw' }).click();
    await page.getByText('Events 1 to').waitFor();
    await page.getByRole('button', { name: 'State then' }).last().click();
    const then = page.getByRole('region', { name: /^The task at event/ });
    await then.getByText('Step find order').waitFor();
    await then.getByText('Rejected').waitFor();
    await page.goBack();
    await page.goBack();
    await page.locator('[aria-pressed=true]', { hasText: 'Rejected' }).waitFor();
    await page.goForward();
    await page.locator('.lanes .lane').first().waitFor();
    await page.reload();
    await page.locator('.lanes .lane').first().waitFor();
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('loads every screen again where it is', async () => {
    const { page, faults } = await open('/tasks');
    const names = await page.getByRole('navigation', { name: 'Main' }).locator('a.item').allInnerTexts();
    expect(names.length).toBeGreaterThanOrEqual(10);
    for (const name of names.map((text) => text.replace(/\d.*/s, '').trim())) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
      const heading = page.getByRole('heading', { level: 1, name });
      await heading.waitFor();
      await page.reload();
      await heading.waitFor();
      await page.locator('main .card').first().waitFor();
    }
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('says that a page is of an older version where its script is gone, and shows the rest', async () => {
    const { page, faults } = await open('/tasks');
    await page.route('**/console/assets/queue-*', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Queue' }).click();
    await page.getByText('This page is of an older version').waitFor();
    await page.unroute('**/console/assets/queue-*');
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { name: 'Queue' }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  it('goes on by itself after the service was restarted while a page was open', async () => {
    const port = new URL(service.address).port;
    const { page, faults } = await open('/tasks');
    await page.getByText('Live', { exact: true }).waitFor();
    await service.restart(port);
    await page.getByText('Live', { exact: true }).waitFor();
    const caller = new Caller(service.address, {});
    const id = await caller.begin('refund', 'Refund order A-77.');
    await page
      .getByRole('row')
      .filter({ hasText: id.slice(0, 8) })
      .waitFor();
    // Chromium writes the requests that found no service as answers that failed.
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);
});
