import { describe, expect, it } from '@jest/globals';
import { readCardFile } from './card-file.js';

const DEFAULTS = { name: 'Parley', description: 'd', version: '1.2.3' };
const FACTS = { pushNotifications: true, extendedAgentCard: false };

describe(readCardFile.name, () => {
  it('replaces the defaults by its members', () => {
    const provider = { url: 'https://example.com', organization: 'Example' };
    const text = JSON.stringify({ name: 'Invoices', provider, capabilities: { pushNotifications: true } });
    expect(readCardFile(text, DEFAULTS, FACTS)).toEqual({ ...DEFAULTS, name: 'Invoices', provider });
  });

  it.each([
    ['{"capabilities":{"extendedAgentCard":true}}', 'capabilities.extendedAgentCard is true, but that is off here'],
    ['{"capabilities":{"pushNotifications":false}}', 'capabilities.pushNotifications is false, but that is on here'],
    ['{"capabilities":{"streaming":false}}', 'capabilities.streaming is false, but that is on here'],
  ])('refuses a claim that is not so: %s (A2A-CARD-03)', (text, reason) => {
    expect(() => readCardFile(text, DEFAULTS, FACTS)).toThrow(reason);
  });

  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'it must hold a JSON object'],
    ['{"names":"x"}', 'names'],
    ['{"iconUrl":"x"}', 'iconUrl'],
    ['{"extensions":[{"uri":"not a uri"}]}', 'extensions[0].uri'],
  ])('names what is wrong in %s', (text, reason) => {
    expect(() => readCardFile(text, DEFAULTS, FACTS)).toThrow(reason);
  });
});
