import { describe, expect, it } from '@jest/globals';
import { cardUrls } from './card-reference.js';

const WELL_KNOWN = ['/.well-known/agent-card.json', '/.well-known/agent.json'];

describe(cardUrls, () => {
  it.each([
    ['agent.example', WELL_KNOWN.map((path) => `https://agent.example${path}`)],
    ['localhost:3000', WELL_KNOWN.map((path) => `http://localhost:3000${path}`)],
    ['HTTPS://Agent.Example:8443/team/', WELL_KNOWN.map((path) => `https://agent.example:8443/team${path}`)],
    ['https://[2001:db8::1]', WELL_KNOWN.map((path) => `https://[2001:db8::1]${path}`)],
    ['https://agent.example/my/card.json', ['https://agent.example/my/card.json']],
    ['https://agent.example/card?of=me', ['https://agent.example/card?of=me']],
  ])('reads %s', (reference, urls) => {
    expect(cardUrls(reference)).toEqual(urls);
  });

  it.each([
    ...['https://8.8.8.010/', 'https://0x08080808/', 'https://134744072', '0x7f.1', 'https://127.1'],
    ...[
      'https://agent.example/#x',
      'https://agent.example#@other.example',
      'https://a@agent.example/',
      '@agent.example',
    ],
    ...[
      'https://agent.example/\r\nHost: other',
      ' https://agent.example',
      'https://agent.example\n',
      'https://agent\t.example',
    ],
    ...[
      'https:\\\\agent.example',
      'https:///agent.example',
      'https://agent.example\\@other.example',
      'https://%61gent.example',
    ],
    ...['https://\uff41gent.example', 'ftp://agent.example', 'javascript://agent.example', '', 'https://'],
  ])('refuses %j, as webhooks do (A19)', (reference) => {
    expect(() => cardUrls(reference)).toThrow('neither a host nor an http URL');
  });
});
