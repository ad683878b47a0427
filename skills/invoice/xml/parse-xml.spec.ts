import { describe, expect, it } from '@jest/globals';
import { elementAt, textAt } from './xml-element.js';
import { XML_LIMITS, parseXml } from './parse-xml.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function latin1(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

describe(parseXml.name, () => {
  it('gives elements by local name with their paths', async () => {
    const root = await parseXml(bytes('<a:R xmlns:a="urn:x"><a:L><N>1</N></a:L><a:L><N k="v"> 2 </N></a:L></a:R>'));
    expect(root).toMatchObject({ name: 'R', namespace: 'urn:x', path: '/R' });
    expect(elementAt(root.children[1], 'N')).toMatchObject({ path: '/R/L[2]/N', text: '2', attributes: { k: 'v' } });
  });

  it('refuses a billion laughs before any of them is expanded', async () => {
    const entities = Array.from({ length: 12 }, (_, at) =>
      at === 0 ? '<!ENTITY l0 "lol">' : `<!ENTITY l${String(at)} "${`&l${String(at - 1)};`.repeat(10)}">`,
    );
    const bomb = `<?xml version="1.0"?><!DOCTYPE r [${entities.join('')}]><r>&l11;</r>`;
    const before = process.memoryUsage().heapUsed;
    await expect(parseXml(bytes(bomb))).rejects.toThrow('DOCTYPE');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50 * 2 ** 20);
  });

  it.each([
    '<!DOCTYPE r SYSTEM "http://127.0.0.1:9/evil.dtd"><r/>',
    '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
    '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p">%p;]><r/>',
    '<!DOCTYPE r><r/>',
  ])('refuses %s: no document type, so no external entity', async (text) => {
    await expect(parseXml(bytes(text))).rejects.toThrow('DOCTYPE');
  });

  it('knows the five entities of XML and numbers, and no other', async () => {
    const root = await parseXml(bytes('<r>&lt;&amp;&gt;&apos;&quot;&#8364;<![CDATA[<b>]]></r>'));
    expect(root.text).toBe(`<&>'"€<b>`);
    await expect(parseXml(bytes('<r>&nbsp;</r>'))).rejects.toThrow('not well-formed');
  });

  it.each(['<r><a></r>', '<r>', 'no xml', '', '<r/><r/>', '<r a="1" a="2"/>', '<x:r/>'])(
    'refuses %j as not well-formed or empty',
    async (text) => {
      await expect(parseXml(bytes(text))).rejects.toMatchObject({ name: 'UnreadableDocument' });
    },
  );

  it('stops at its limits', async () => {
    const limits = { maxBytes: 1000, maxElements: 10, maxDepth: 5 };
    await expect(parseXml(bytes(`<r>${'x'.repeat(1000)}</r>`), limits)).rejects.toThrow('larger than');
    await expect(parseXml(bytes(`<r>${'<a/>'.repeat(10)}</r>`), limits)).rejects.toThrow('too many elements');
    await expect(parseXml(bytes('<a>'.repeat(6) + '</a>'.repeat(6)), limits)).rejects.toThrow('too deeply');
    await expect(parseXml(bytes('<a>'.repeat(10_000)))).rejects.toThrow('too deeply');
    expect(XML_LIMITS.maxDepth).toBeLessThan(1000);
  });

  it('reads UTF-8 and UTF-16 with byte order marks and the encodings that are declared', async () => {
    const text = '<r>Müller</r>';
    const utf16 = new Uint8Array([0xff, 0xfe, ...new Uint8Array(Buffer.from(text, 'utf16le'))]);
    expect((await parseXml(bytes(`\uFEFF${text}`))).text).toBe('Müller');
    expect((await parseXml(utf16)).text).toBe('Müller');
    expect((await parseXml(latin1(`<?xml version="1.0" encoding="ISO-8859-1"?>${text}`))).text).toBe('Müller');
  });

  it('reads the euro sign of windows-1252', async () => {
    const document = latin1('<?xml version="1.0" encoding="windows-1252"?><r>5 \u0080</r>');
    expect((await parseXml(document)).text).toBe('5 €');
  });

  it('refuses text in another encoding than the declared one, and encodings out of use', async () => {
    await expect(parseXml(latin1('<r>Müller</r>'))).rejects.toThrow('not valid utf-8');
    await expect(parseXml(bytes('<?xml version="1.0" encoding="utf-7"?><r/>'))).rejects.toThrow('"utf-7"');
    await expect(parseXml(bytes('<?xml version="1.0" encoding="shift_jis"?><r/>'))).rejects.toThrow('not supported');
  });

  it('does not keep files that are embedded in the document', async () => {
    const file = 'QUJD'.repeat(100_000);
    const root = await parseXml(
      bytes(`<r><EmbeddedDocumentBinaryObject>${file}</EmbeddedDocumentBinaryObject><b>1</b></r>`),
    );
    expect(textAt(root, 'EmbeddedDocumentBinaryObject')).toBeUndefined();
    expect(textAt(root, 'b')).toBe('1');
  });
});
