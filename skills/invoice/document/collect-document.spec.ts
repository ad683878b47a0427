import { describe, expect, it, jest } from '@jest/globals';
import { aContext } from '@parley/sdk/testing';
import type { SkillInput } from '@parley/sdk/testing';
import { collectDocument } from './collect-document.js';
import type { FileFetcher } from '@parley/sdk';

// Programs that write PDFs load slowly, and threads start slowly, on a machine that has other work.
jest.setTimeout(60_000);

const XML = Buffer.from('<a/>').toString('base64');

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

function collected(input: SkillInput, fetcher?: FileFetcher) {
  return collectDocument(aContext(input), { maxFileBytes: 1000, fetcher });
}

describe(collectDocument.name, () => {
  it('takes a file, whatever its name and media type claim', async () => {
    const raw = { raw: XML, mediaType: 'application/pdf', filename: 'invoice.pdf' };
    expect(await collected({ parts: [raw] })).toMatchObject({ kind: 'xml', name: 'invoice.pdf' });
  });

  it('takes a file rather than the text beside it', async () => {
    expect(await collected({ text: 'Please read this', parts: [{ raw: XML }] })).toMatchObject({ kind: 'xml' });
  });

  it('takes a data part, and XML or JSON that was pasted', async () => {
    expect(await collected({ data: [{ number: 1 }] })).toMatchObject({ kind: 'value', value: { number: 1 } });
    expect(await collected({ text: ' <Invoice/>' })).toMatchObject({ kind: 'xml' });
    expect(await collected({ text: '{"number":"1"}' })).toMatchObject({ kind: 'json', name: 'The text' });
  });

  it('takes an invoice in plain text, as a file or pasted', async () => {
    const text = 'Acme Ltd\nInvoice No: A-1\nTotal: 12.00';
    expect(await collected({ text })).toMatchObject({ kind: 'text', name: 'The text' });
    const raw = Buffer.from(text).toString('base64');
    expect(await collected({ parts: [{ raw, mediaType: 'text/plain' }] })).toMatchObject({ kind: 'text' });
  });

  it.each([
    ['nothing', {}, 'No invoice was sent'],
    ['only words', { text: 'Pay the invoice of yesterday' }, 'No invoice was sent'],
    ['two files', { parts: [{ raw: XML }, { raw: XML }] }, 'one invoice per task'],
    ['two data parts', { data: [{}, {}] }, 'one invoice per task'],
    ['an empty file', { parts: [{ raw: '', filename: 'a.pdf' }] }, 'a.pdf is empty'],
    ['a picture', { parts: [{ raw: 'iVBORw0KGgo=' }] }, 'Pictures of invoices are not read'],
    ['an archive', { parts: [{ raw: Buffer.from('PK\x03\x04').toString('base64') }] }, 'Archives and office documents'],
    ['far too many values', { data: [Array.from({ length: 60_000 }, () => 1)] }, 'far more values than an invoice'],
    ['values nested too deeply', { data: [nested(100)] }, 'far more values than an invoice'],
    ['a file that is too large', { parts: [{ raw: 'A'.repeat(2000) }] }, 'too large'],
  ] as const)('refuses %s', async (_, input, why) => {
    await expect(collected(input)).rejects.toThrow(why);
  });

  it('refuses 50 MB without decoding them', async () => {
    const raw = 'A'.repeat(67 * 2 ** 20);
    const before = process.memoryUsage().external;
    const collecting = collectDocument(aContext({ parts: [{ raw }] }), {
      maxFileBytes: 20 * 2 ** 20,
      fetcher: undefined,
    });
    await expect(collecting).rejects.toThrow('at most 20 MB');
    expect(process.memoryUsage().external - before).toBeLessThan(2 ** 20);
  });

  it('opens no connection by itself: an address needs a fetcher', async () => {
    await expect(collected({ parts: [{ url: 'https://example.com/a.pdf' }] })).rejects.toThrow('does not fetch files');
  });

  it('gets an address through the fetcher, within its limit', async () => {
    const fetcher: FileFetcher = {
      fetch: (url, { maxBytes }) =>
        Promise.resolve({ bytes: new TextEncoder().encode(`<a>${url} ${String(maxBytes)}</a>`) }),
    };
    const document = await collected({ parts: [{ url: 'https://example.com/a.xml' }] }, fetcher);
    expect(document).toMatchObject({ kind: 'xml' });
    const large: FileFetcher = { fetch: () => Promise.resolve({ bytes: new Uint8Array(1001) }) };
    await expect(collected({ parts: [{ url: 'https://example.com/a.xml' }] }, large)).rejects.toThrow('too large');
  });

  it('reports to the caller that fetching failed, and not why: the reason may name internal addresses', async () => {
    const fetcher: FileFetcher = { fetch: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')) };
    await expect(collected({ parts: [{ url: 'https://example.com/a.xml' }] }, fetcher)).rejects.toThrow(
      /^The file could not be fetched from its address\.$/u,
    );
  });

  it('keeps names from breaking out of a message', async () => {
    const filename = 'a\n# [x](http://evil)<script>.pdf';
    await expect(collected({ parts: [{ raw: '', filename }] })).rejects.toThrow(
      /^a x\(httpevil\)script\.pdf is empty\.$/u,
    );
  });
});
