import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PDFDict, PDFDocument, PDFName, PDFString } from '@cantoo/pdf-lib';
import type { Browser, Page } from 'playwright-core';
import { findBrowser, openBrowser } from '../../kit/console/browser.mjs';
import { Caller, startSeeded } from '../../kit/console/seeded.mjs';
import { Watched } from '../../kit/console/watched.js';
import { eventually } from '../../kit/run/eventually.js';
import { bombPdf, manyPages, scannedPdf } from '../../kit/invoice/hostile-pdfs.js';
import { writePdf } from '../../kit/invoice/pdf-writer.js';

const found = findBrowser();
const described = found === undefined ? describe.skip : describe;

/** A page with one word, and what `change` makes of it. */
async function changed(change: (document: PDFDocument) => void): Promise<Uint8Array> {
  const document = await PDFDocument.load(await writePdf([[{ text: 'Word', x: 50, y: 50 }]]));
  change(document);
  return document.save({ useObjectStreams: false });
}

/** 16 by 16 dark pixels as JPEG 2000, made by opj_compress. */
const JPEG_2000 = [
  'AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAEAAAABAAAQcHAAAAAAAPY29scgEAAAAA',
  'ABEAAACHanAyY/9P/1EAKQAAAAAAEAAAABAAAAAAAAAAAAAAABAAAAAQAAAAAAAAAAAAAQcBAf9SAAwAAAABAAAEBAAB/1wABEBA',
  '/2QAJQABQ3JlYXRlZCBieSBPcGVuSlBFRyB2ZXJzaW9uIDIuNS4w/5AACgAAAAAAFQAB/5PJQBFQVK/w/9k=',
].join('');

/** A scan whose picture needs a decoder that is loaded for it. */
async function scanned2000(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([200, 200]);
  const { context } = document;
  const traits = { Type: 'XObject', Subtype: 'Image', Width: 16, Height: 16, Filter: 'JPXDecode' };
  const picture = context.register(context.stream(Buffer.from(JPEG_2000, 'base64'), traits));
  page.node.setXObject(PDFName.of('Picture'), picture);
  page.node.set(PDFName.of('Contents'), context.register(context.stream('q 200 0 0 200 0 0 cm /Picture Do Q')));
  return document.save({ useObjectStreams: false });
}

function scripted(document: PDFDocument): PDFDict {
  return document.context.obj({ S: PDFName.of('JavaScript'), JS: PDFString.of('app.alert(1); window.__ran = 1') });
}

const REFUSED: readonly (readonly [what: string, make: () => Promise<Uint8Array>, why: string])[] = [
  [
    'a script that runs when it is opened',
    () =>
      changed((document) => {
        document.catalog.set(PDFName.of('OpenAction'), scripted(document));
      }),
    'it contains scripts',
  ],
  [
    'a script of its page',
    () =>
      changed((document) => {
        document.getPage(0).node.set(PDFName.of('AA'), document.context.obj({ O: scripted(document) }));
      }),
    'it contains scripts',
  ],
  [
    'a page of 20,000 by 20,000',
    () =>
      changed((document) => {
        document.getPage(0).setMediaBox(0, 0, 20_000, 20_000);
      }),
    'a page must have between 1/72 and 200 inches a side',
  ],
  ['a password', () => writePdf([[]], { password: 'secret' }), 'it is protected by a password'],
  [
    'its first 300 bytes only',
    async () => (await writePdf([[{ text: 'Word', x: 50, y: 50 }]])).slice(0, 300),
    'it cannot be read',
  ],
  ['nothing behind its first line', () => Promise.resolve(Buffer.from('%PDF-1.7\n'.repeat(900))), 'it cannot be read'],
];

described('the preview of PDFs', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startSeeded>>;

  beforeAll(async () => {
    service = await startSeeded();
    browser = await openBrowser(found ?? '');
  }, 90_000);
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  /** Opens the artifacts of a task that has made these files. */
  const shown = async (files: readonly Uint8Array[]): Promise<Watched> => {
    const caller = new Caller(service.address, {});
    const parts = files.map((bytes, at) => {
      return { raw: Buffer.from(bytes).toString('base64'), filename: `file${String(at)}.pdf`, mediaType: 'text/html' };
    });
    const id = await caller.begin('files', 'These files', { files: parts });
    await caller.until(id, 'TASK_STATE_COMPLETED');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
    const watched = await Watched.of(await context.newPage(), [service.address]);
    await watched.goto(`${service.address}/console/tasks/${id}/artifacts`);
    return watched;
  };

  it('draws the pages with words that can be selected, in a thread that ends with the page, without a barrier', async () => {
    const watched = await shown([await writePdf([[{ text: 'Invoice 2026-117', x: 60, y: 80, size: 20 }], []])]);
    const { page, faults } = watched;
    const first = page.getByRole('group', { name: 'Page 1 of 2' });
    await first.getByText('Invoice 2026-117').waitFor();
    await eventually(async () => {
      expect(await inkOf(page)).toBeGreaterThan(100);
    });
    await first.getByText('Invoice 2026-117').dblclick({ position: { x: 20, y: 10 } });
    expect(await page.evaluate('String(getSelection())')).toBe('Invoice');
    expect(await overlapOf(page)).toBeGreaterThan(0.9);
    await page.getByText(/^sha256:[0-9a-f]{64}$/).waitFor();
    expect(page.workers()).toHaveLength(1);
    expect(await watched.violations()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', contrast: 'more' });
    expect(await watched.colourViolations()).toEqual([]);
    await page.setViewportSize({ width: 320, height: 800 });
    expect(await watched.overflow()).toBe(0);
    await page.getByRole('link', { name: 'Raw' }).click();
    await eventually(() => {
      expect(page.workers()).toHaveLength(0);
    });
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('draws what can be seen of a thousand pages, and names the first 200', async () => {
    const { page, faults } = await shown([await manyPages(1_000)]);
    await page.getByText('The first 200 of 1,000 pages are shown.').waitFor();
    const region = page.getByRole('region', { name: 'Pages of file0.pdf' });
    expect(await page.locator('.pdf-page').count()).toBe(200);
    await region.getByText('Page 1', { exact: true }).waitFor();
    const drawnPages = async (): Promise<number> =>
      Number(
        await page.evaluate(
          '[...document.querySelectorAll(".pdf-page canvas")].filter(({ width }) => width > 0).length',
        ),
      );
    expect(await drawnPages()).toBeLessThan(6);
    await page.locator('.pdf-page').last().scrollIntoViewIfNeeded();
    await region.getByText('Page 200', { exact: true }).waitFor();
    expect(await region.getByText('Page 1', { exact: true }).count()).toBe(0);
    expect(await drawnPages()).toBeLessThan(6);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('shows a file that has one of these as its name, size, hash and download, and says why', async () => {
    const files = await Promise.all(REFUSED.map(([, make]) => make()));
    const watched = await shown(files);
    const { page, faults } = watched;
    for (const [at, [what, , why]] of REFUSED.entries()) {
      const figure = page.locator('figure').nth(at);
      await figure.scrollIntoViewIfNeeded();
      const said = await figure.getByText('This PDF is not shown').innerText();
      expect({ what, said }).toEqual({ what, said: `This PDF is not shown: ${why}.` });
      expect(await figure.getByRole('link', { name: 'Download' }).getAttribute('download')).toBe(
        `file${String(at)}.pdf`,
      );
    }
    expect(page.workers()).toHaveLength(0);
    expect(await page.evaluate('window.__ran')).toBeUndefined();
    expect(await watched.violations()).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('decodes JPEG 2000 without WebAssembly', async () => {
    const { page, faults } = await shown([await scanned2000()]);
    await page.getByRole('group', { name: 'Page 1 of 1' }).waitFor();
    await eventually(async () => {
      expect(await inkOf(page)).toBeGreaterThan(10_000);
    });
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('shows a scan, and lets go of files that are scrolled far away', async () => {
    const scan = await scannedPdf();
    const { page, faults } = await shown(Array.from({ length: 12 }, () => scan));
    await page.getByRole('group', { name: 'Page 1 of 1' }).first().waitFor();
    for (let at = 0; at < 12; at += 1) {
      const figure = page.locator('figure').nth(at);
      await figure.locator('figcaption').scrollIntoViewIfNeeded();
      await figure.getByRole('group', { name: 'Page 1 of 1' }).waitFor();
      expect(page.workers().length).toBeLessThan(8);
    }
    await eventually(() => {
      expect(page.workers().length).toBeLessThan(5);
    });
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('ends the thread of a page that unfolds to gigabytes, and goes on', async () => {
    const { page, faults } = await shown([await bombPdf()]);
    await page.getByText(/not shown: it (takes too long|cannot be read)/).waitFor({ timeout: 50_000 });
    await page.getByRole('link', { name: 'Raw' }).click();
    await page.getByText('Events 1 to').waitFor();
    // A thread that answers no more is ended by the browser some seconds after it was asked to.
    await eventually(
      () => {
        expect(page.workers()).toHaveLength(0);
      },
      { timeoutMs: 20_000 },
    );
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);
});

/** Dark pixels of the first page. */
async function inkOf(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`(() => {
      const canvas = document.querySelector('.pdf-page canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width || 1, canvas.height || 1);
      let dark = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0 && data[at] < 100) dark += 1;
      return dark;
    })()`),
  );
}

/** The share of the dark pixels of the first page that lies under its words. */
async function overlapOf(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`(() => {
      const canvas = document.querySelector('.pdf-page canvas');
      const [paper, words] = [canvas, document.querySelector('.pdf-text span')].map((one) => one.getBoundingClientRect());
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const sharpness = canvas.width / paper.width;
      let [all, under] = [0, 0];
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] === 0 || data[at] > 100) continue;
        const [x, y] = [(at / 4) % canvas.width, Math.floor(at / 4 / canvas.width)].map((px) => px / sharpness);
        all += 1;
        if (x >= words.left - paper.left && x <= words.right - paper.left && y >= words.top - paper.top && y <= words.bottom - paper.top) under += 1;
      }
      return under / all;
    })()`),
  );
}
