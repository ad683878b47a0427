import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CliError } from '../context/cli-error.js';
import { MessageParts } from './message-parts.js';

const none = (): string => '';

describe(MessageParts.name, () => {
  it('A2ACLI_SEND_005, A2ACLI_SEND_006: keeps the order of the flags, and the types that they were given', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-parts-'));
    await writeFile(join(folder, 'a.md'), '# A');
    await writeFile(join(folder, 'report'), 'x');
    const parts = new MessageParts();
    parts.add('file')(join(folder, 'a.md'));
    parts.add('data')('-');
    parts.add('text')('last');
    parts.mediaType('text/x');
    parts.add('file')('https://a.example/b.pdf?x=1');
    parts.add('file')(join(folder, 'report'));
    expect(parts.parts(['first', 'words'], () => '{"d":null}')).toEqual([
      { text: 'first words' },
      { raw: Buffer.from('# A').toString('base64'), filename: 'a.md', mediaType: 'text/markdown' },
      { data: { d: null } },
      { text: 'last', mediaType: 'text/x' },
      { url: 'https://a.example/b.pdf?x=1', mediaType: 'application/pdf' },
      { raw: Buffer.from('x').toString('base64'), filename: 'report' },
    ]);
    await rm(folder, { recursive: true });
  });

  it('A2ACLI_SEND_005: refuses a type without a part, no part at all, and files that cannot be read', () => {
    expect(() => new MessageParts().mediaType('text/plain')).toThrow(CliError);
    expect(() => new MessageParts().parts([], none)).toThrow(CliError);
    const parts = new MessageParts();
    parts.add('file')('/no/such/file');
    expect(() => parts.parts([], none)).toThrow('/no/such/file cannot be read');
    const data = new MessageParts();
    data.add('data')('-');
    expect(() => data.parts([], () => 'hello')).toThrow('stdin is not JSON');
  });
});
