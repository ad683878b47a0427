import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { contentFromProto, contentToProto, type FileForm, fileFormOf } from './file-form.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const XML = base64('<Invoice/>');

describe(fileFormOf.name, () => {
  it.each<[string | undefined, FileForm]>([
    ['python-httpx/0.28.1', 'base64-text'],
    ['grpc-python-asyncio/1.74.0 grpc-c/48.0.0 (linux; chttp2)', 'base64-text'],
    ['grpc-python/1.60.0', 'base64-text'],
    ['Go-http-client/2.0', 'base64-text'],
    ['grpc-go/1.73.0', 'base64-text'],
    ['billing/2.0 grpc-go/1.73.0', 'base64-text'],
    ['Java-http-client/21.0.1', 'base64-text'],
    ['grpc-java-netty/1.66.0', 'base64-text'],
    ['node', 'bytes'],
    ['grpc-node-js/1.13.0', 'bytes'],
    ['curl/8.0', 'bytes'],
    [undefined, 'bytes'],
  ])('%s takes file_with_bytes for %s', (agent, form) => {
    expect(fileFormOf(agent)).toBe(form);
  });
});

describe(contentFromProto.name, () => {
  it.each<[string, string, string | undefined, FileForm, string]>([
    ['base64 text of an invoice by an SDK', base64(XML), 'application/xml', 'base64-text', XML],
    ['base64 text of an invoice by anyone', base64(XML), 'application/xml', 'bytes', XML],
    ['base64 text of a picture by anyone', base64('iVBORw0KGgo='), 'image/png', 'bytes', 'iVBORw0KGgo='],
    ['base64 text of a file of no type by an SDK', base64('AAEC'), undefined, 'base64-text', 'AAEC'],
    ['an invoice', XML, 'application/xml', 'bytes', XML],
    ['an invoice by a hand-written client of the same library', XML, 'text/xml', 'base64-text', XML],
    ['a text file that is base64 text', base64('SGVsbG8='), 'text/plain', 'bytes', base64('SGVsbG8=')],
    [
      'a text file that is base64 text, by an SDK',
      base64(base64('SGVsbG8=')),
      'text/plain',
      'base64-text',
      base64('SGVsbG8='),
    ],
    ['base64 text that no encoder writes', base64('SGVsbG9='), 'image/png', 'base64-text', base64('SGVsbG9=')],
    ['JSON that is base64 by its characters', base64('1234'), 'application/json', 'base64-text', base64('1234')],
    ['an empty file', '', 'image/png', 'base64-text', ''],
    ['what is no base64', 'a b', 'image/png', 'base64-text', 'a b'],
  ])('reads %s', (_case, value, mediaType, form, raw) => {
    expect(contentFromProto(value, mediaType, form)).toBe(raw);
  });

  it('reads every file of a caller that writes base64 text, also one that is base64 text itself', () => {
    const bytes = fc.uint8Array({ maxLength: 9 }).map((some) => Buffer.from(some));
    const content = fc.oneof(
      bytes,
      bytes.map((some) => Buffer.from(some.toString('base64'))),
    );
    const mediaType = fc.constantFrom(
      'image/png',
      'text/plain',
      'application/xml',
      'application/octet-stream',
      undefined,
    );
    fc.assert(
      fc.property(content, mediaType, (file, type) => {
        const raw = file.toString('base64');
        expect(contentFromProto(contentToProto(raw, 'base64-text') ?? '', type, 'base64-text')).toBe(raw);
      }),
    );
  });

  it.each<FileForm>(['bytes', 'base64-text'])('reads what was written as %s', (form) => {
    const pdf = base64('%PDF-1.4 ☃');
    expect(contentFromProto(contentToProto(pdf, form) ?? '', 'application/pdf', form)).toBe(pdf);
    expect(contentToProto(undefined, form)).toBeUndefined();
  });
});
