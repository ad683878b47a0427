import { describe, expect, it } from '@jest/globals';
import { cardDiff } from './card-diff.js';

const CARD = {
  ...{ name: 'A', version: '1' },
  skills: [
    { id: 'pay', description: 'Pays.', tags: ['money'] },
    { id: 'read', description: 'Reads.', tags: [] },
  ],
  supportedInterfaces: [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
};

describe(cardDiff, () => {
  it('finds nothing where only the order of members and skills differs', () => {
    const [pay, read] = CARD.skills;

    expect(cardDiff(CARD, { ...CARD, skills: [read, pay] })).toEqual([]);
  });

  it('names each path, with its old and its new value', () => {
    const [pay] = CARD.skills;
    const moved = { url: 'https://b.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    const now = { ...CARD, version: '2', skills: [{ ...pay, tags: ['money', 'new'] }], supportedInterfaces: [moved] };
    expect(cardDiff(CARD, now)).toEqual([
      { path: 'version', before: '"1"', now: '"2"' },
      { path: 'skills[pay].tags[new]', now: '"new"' },
      { path: 'skills[read]', before: JSON.stringify(CARD.skills[1]) },
      {
        path: 'supportedInterfaces[https://a.example JSONRPC 1.0]',
        before: JSON.stringify(CARD.supportedInterfaces[0]),
      },
      { path: 'supportedInterfaces[https://b.example JSONRPC 1.0]', now: JSON.stringify(moved) },
    ]);
  });

  it('bounds the shown part of hostile cards, and takes names like __proto__ for names', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_unused, at) => [`m${String(at)}`, 'x'.repeat(2_000)]),
    );
    const changes = cardDiff({}, many);
    expect([changes.length, Math.max(...changes.map(({ now = '' }) => now.length))]).toEqual([200, 501]);
    expect(cardDiff(JSON.parse('{"__proto__":{"a":1}}'), {})).toEqual([{ path: '__proto__', before: '{"a":1}' }]);
    expect(cardDiff([1, 1], [1, 2])).toEqual([{ path: '[1]', before: '1', now: '2' }]);
  });
});
