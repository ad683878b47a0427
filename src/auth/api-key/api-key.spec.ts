import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseApiKeys } from './api-key.js';
import { ApiKeyVerifier } from './api-key.verifier.js';

const KEY = 'ci.3q2-7wXkq0m1';
const digest = createHash('sha256').update(KEY).digest('hex');
const LINE = `ci:acme:build-server:a2a:message.send,a2a:tasks.read skill:echo:${digest}`;

describe(parseApiKeys.name, () => {
  it('reads keys, comments and empty lines', () => {
    const [key, ...rest] = parseApiKeys(`# keys of acme\n\n${LINE}\r\n`);
    expect(rest).toEqual([]);
    expect(key).toMatchObject({ id: 'ci', tenant: 'acme', client: 'build-server' });
    expect(key?.scopes).toEqual(['a2a:message.send', 'a2a:tasks.read', 'skill:echo']);
  });

  it('reads keys separated by semicolons, and refuses other separators', () => {
    const other = LINE.replace('ci:', 'ci2:');
    expect(parseApiKeys(`${LINE};${other}`).map(({ id }) => id)).toEqual(['ci', 'ci2']);
    expect(() => parseApiKeys(`${LINE},${other}`)).toThrow('entry 1');
  });

  it('names a wrong line without repeating it', () => {
    expect(() => parseApiKeys(`${LINE}\nci2:acme:build:scope:plain-secret`)).toThrow(
      'entry 2: expected id:tenant:client:scopes:sha256',
    );
    expect(() => parseApiKeys(`${LINE}\n${LINE}`)).toThrow('API key ci is given twice');
  });
});

describe(ApiKeyVerifier.name, () => {
  const verifier = new ApiKeyVerifier(() => parseApiKeys(LINE));

  it('identifies the caller of a key', () => {
    expect(verifier.verify(KEY)).toMatchObject({ tenant: 'acme', client: 'build-server', method: 'api-key' });
  });

  it('refuses every other key', () => {
    const others = [
      `${KEY}x`,
      KEY.slice(0, -1),
      'ci.',
      'ci',
      '.',
      '',
      'no.3q2-7wXkq0m1',
      digest,
      `ci.${'x'.repeat(9_999)}`,
    ];
    expect(others.filter((key) => verifier.verify(key) !== undefined)).toEqual([]);
  });
});
