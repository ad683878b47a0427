import { describe, expect, it } from '@jest/globals';
import type { Message, Part } from '@parley/protocol/model/message.js';
import { turnContent } from './turn-content.js';

const aMessage = (...parts: readonly object[]): Message => ({
  messageId: 'm',
  role: 'ROLE_USER',
  parts: parts as readonly Part[],
});

describe(turnContent.name, () => {
  it('sorts the parts of all messages by kind', () => {
    const file = { url: 'https://example.org/a.pdf' };
    expect(turnContent([aMessage({ text: 'One' }, { data: null }), aMessage({ text: 'Two' }, file)])).toEqual({
      text: 'One\nTwo',
      data: [null],
      files: [file],
    });
  });

  it('does not take an undefined member for content, as instances of DTOs have them', () => {
    const part = { text: 'One', raw: undefined, url: undefined, data: undefined };
    expect(turnContent([aMessage(part)])).toEqual({ text: 'One', data: [], files: [] });
  });
});
