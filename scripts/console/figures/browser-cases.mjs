// Cases in Chromium, with its processor slowed down four times where nothing else is said.
import { setTimeout as pause } from 'node:timers/promises';
import { findBrowser, openBrowser } from '../../../test/kit/console/browser.mjs';
import { Lab, percentile } from './lab.mjs';

const SLOWER = 4;
const FRAMES = 240;
/** Of a screen with 60 Hz, ms. */
const TWO_FRAMES = 33.4;
/** Px a frame: a hard flick of the fingers (6,000 px a second), and half a page, as with the scroll bar. */
const [FLICK, HALF_PAGE] = [100, 400];

/** Runs a case in a page of a service of its own. */
async function inPage(prepare, measure) {
  const path = findBrowser();
  if (path === undefined) throw new Error('No Chromium was found: install it, or set CHROMIUM to its path.');
  const lab = await Lab.open(true);
  const browser = await openBrowser(path);
  try {
    const made = await prepare(lab);
    return await measure({ lab, ...(await newPage(browser, SLOWER)), made, anew: (rate) => newPage(browser, rate) });
  } finally {
    await browser.close();
    await lab.close();
  }
}

/** A page with nothing in its cache. @param rate by which the processor is slowed down */
async function newPage(browser, rate) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
  return { page, devtools };
}

/** Bytes and times of the first page. */
export function firstLoad() {
  return inPage(
    (lab) => lab.sendMany(100, 'quick'),
    async ({ lab, page, devtools }) => {
      await devtools.send('Network.enable');
      let [bytes, script, requests, foreign] = [0, 0, 0, 0];
      const types = new Map();
      devtools.on('Network.responseReceived', ({ requestId, response }) => types.set(requestId, response.url));
      devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        const url = types.get(requestId) ?? '';
        if (!url.startsWith(lab.address)) foreign += 1;
        if (url.includes('/api/')) return;
        requests += 1;
        bytes += encodedDataLength;
        if (url.endsWith('.js')) script += encodedDataLength;
      });
      const usable = await shown(page, 'tr.open-row', () => page.goto(`${lab.address}/console/tasks`));
      const painted = await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime');
      return [
        ['script of the first screen, KB as sent', script / 1_024, 60],
        ['all of the first load, KB as sent', bytes / 1_024, 80],
        ['requests', requests, 8],
        ['requests to other origins', foreign, 0],
        ['first contentful paint, ms', painted, 500],
        ['list can be used, ms', usable, 1_000],
      ];
    },
  );
}

/** A list of 10,000 rows that is scrolled. */
export function rows() {
  return inPage(
    (lab) => lab.sendMany(10_000, 'quick'),
    async ({ lab, page, devtools }) => {
      await page.goto(`${lab.address}/console/tasks`);
      await page.locator('tr.open-row').first().waitFor();
      // Scrolls on until the last page of the list is there: the number of rows is known then. Each page is read when the end is near.
      while (Number(await page.evaluate(`document.querySelector('table').ariaRowCount`)) < 0) {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        await pause(50);
      }
      // Processor time: other programs do not count.
      await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
      const flicked = await scrolledWithWork(page, devtools, FLICK);
      const dragged = await scrolledWithWork(page, devtools, HALF_PAGE);
      const shown = await page.evaluate('document.querySelectorAll("tr.open-row").length');
      return [
        ['rows', Number(await page.evaluate('document.querySelector("table").ariaRowCount')) - 1],
        ['a flick, 100 px a frame: frame p50, ms', flicked.p50],
        ['frame p95, ms', flicked.p95, TWO_FRAMES],
        ['work of a frame, ms of processor time', flicked.work, 33],
        ['half a page a frame: frame p50, ms', dragged.p50],
        ['frame p95, ms', dragged.p95],
        ['work of a frame, ms of processor time', dragged.work, 33],
        ['rows in the document', shown, 80],
        ['heap, MB', await heapOf(devtools), 60],
      ];
    },
  );
}

/** A task with 40,000 events. */
export function events() {
  return inPage(
    async (lab) => {
      const { id } = await lab.send('talk', '40000');
      for (;;) {
        const { body } = await lab.json(`/tasks/${id}`);
        if (body.state === 'TASK_STATE_COMPLETED') return id;
        await pause(250);
      }
    },
    async ({ lab, page, devtools, made, anew }) => {
      const url = `${lab.address}/console/tasks/${made}`;
      const atSpeed = [];
      for (let time = 0; time < 3; time += 1) {
        const { page: quick } = await anew(1);
        atSpeed.push(await shown(quick, '.lanes .lane', () => quick.goto(url)));
        await quick.context().close();
      }
      const opened = await shown(page, '.lanes .lane', () => page.goto(url));
      const frames = await scrolled(page, HALF_PAGE);
      const began = Date.now();
      await page.goto(`${url}/raw`);
      await page.locator('main details, main pre').first().waitFor();
      return [
        ['timeline is drawn, ms, median of three', percentile(atSpeed, 0.5), 1_000],
        ['with the processor slowed down, ms', opened],
        ['frame p95, ms', percentile(frames, 0.95), TWO_FRAMES],
        ['raw events are shown, ms', Date.now() - began],
        ['heap, MB', await heapOf(devtools), 150],
      ];
    },
  );
}

/** Ms from the start of a page until an element is painted, as the page itself finds: looking from outside would slow it down. */
async function shown(page, selector, open) {
  await page.addInitScript(`{
    const tell = () => console.debug('shown after ' + performance.now());
    const observer = new MutationObserver(() => {
      if (document.querySelector('${selector}') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(tell));
    });
    observer.observe(document, { childList: true, subtree: true });
  }`);
  const said = page.waitForEvent('console', (message) => message.text().startsWith('shown after '));
  await open();
  return Number((await said).text().slice('shown after '.length));
}

/** Scrolls from the top on, at the end of the page back and so on; the ms between one frame and the next. */
function scrolled(page, px) {
  return page.evaluate(`new Promise((resolve) => {
    scrollTo(0, 0);
    const frames = [];
    let before = performance.now();
    let by = ${px};
    const step = (at) => {
      frames.push(at - before);
      before = at;
      const place = scrollY;
      scrollBy(0, by);
      if (scrollY === place) by = -by;
      if (frames.length < ${FRAMES}) requestAnimationFrame(step);
      else resolve(frames.slice(10));
    };
    requestAnimationFrame(step);
  })`);
}

/** The same with the processor time that a frame takes, ms. */
async function scrolledWithWork(page, devtools, px) {
  const before = await workOf(devtools);
  const frames = await scrolled(page, px);
  const work = (1_000 * ((await workOf(devtools)) - before)) / FRAMES;
  return { p50: percentile(frames, 0.5), p95: percentile(frames, 0.95), work };
}

/** Seconds of processor time of the page's main thread. */
async function workOf(devtools) {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value;
}

async function heapOf(devtools) {
  await devtools.send('HeapProfiler.collectGarbage');
  return (await devtools.send('Runtime.getHeapUsage')).usedSize / 1_048_576;
}
