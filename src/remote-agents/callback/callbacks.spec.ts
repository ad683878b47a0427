import { describe, expect, it } from '@jest/globals';
import { Callbacks } from './callbacks.js';

const OLD = { id: 'k1', secret: 'old' };
const NEW = { id: 'k2', secret: 'new' };
const callbacks = new Callbacks({ url: 'https://us.example', masterKeys: [OLD] });

describe(Callbacks.name, () => {
  it('O-83: accepts the token of a task for that task only, also after the key has changed', () => {
    const { url, token = '', authentication } = callbacks.webhookOf('t1');
    expect(url).toBe('https://us.example/callbacks/t1');
    expect(authentication).toEqual({ scheme: 'Bearer', credentials: token });
    expect(callbacks.isGenuine('t1', ['', token])).toBe(true);
    expect(callbacks.isGenuine('t2', [token])).toBe(false);
    expect(new Callbacks({ url: '', masterKeys: [NEW, OLD] }).isGenuine('t1', [token])).toBe(true);
    expect(new Callbacks({ url: '', masterKeys: [NEW] }).isGenuine('t1', [token])).toBe(false);
  });

  it('O-83: rejects a token that was guessed, cut or lengthened', () => {
    const { token = '' } = callbacks.webhookOf('t1');
    const forged = ['', 'x', token.slice(1), `${token}x`, token.toUpperCase(), 'A'.repeat(token.length)];
    expect(forged.filter((one) => callbacks.isGenuine('t1', [one]))).toEqual([]);
    expect(callbacks.isGenuine('t1', [])).toBe(false);
  });
});
