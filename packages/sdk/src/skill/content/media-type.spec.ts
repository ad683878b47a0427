import { describe, expect, it } from '@jest/globals';
import { acceptsPart, canProduce, mediaTypeOf, mediaTypesOverlap } from './media-type.js';

describe(mediaTypesOverlap.name, () => {
  it.each([
    ['text', 'text/plain', true],
    ['TEXT/Plain; charset=utf-8', 'text/plain', true],
    ['text/*', 'text/csv', true],
    ['*', 'image/png', true],
    ['*/*', 'image/png', true],
    ['data', 'application/json', true],
    ['text/plain', 'text/csv', false],
    ['image/*', 'text/plain', false],
    ['constructor', 'text/plain', false],
    ['', 'text/plain', false],
  ])('%j and %j: %j', (one, other, expected) => {
    expect(mediaTypesOverlap(one, other)).toBe(expected);
    expect(mediaTypesOverlap(other, one)).toBe(expected);
  });
});

describe(mediaTypeOf.name, () => {
  it("prefers the part's media type to the detected one", () => {
    expect(mediaTypeOf({ text: '# Hi', mediaType: 'text/markdown' })).toBe('text/markdown');
    expect(mediaTypeOf({ text: 'Hi' })).toBe('text/plain');
    expect(mediaTypeOf({ data: null })).toBe('application/json');
    expect(mediaTypeOf({ raw: 'AA==' })).toBeUndefined();
  });
});

describe(mediaTypeOf.name, () => {
  it('does not take an undefined member for content, as instances of DTOs have them', () => {
    expect(mediaTypeOf({ text: undefined, data: undefined, raw: 'AA==' })).toBeUndefined();
    expect(mediaTypeOf({ text: undefined, data: null })).toBe('application/json');
  });
});

describe(acceptsPart.name, () => {
  it('gives a file of unknown type only to a skill that takes files', () => {
    expect(acceptsPart(['text/plain', 'application/json'], { raw: 'AA==' })).toBe(false);
    expect(acceptsPart(['application/pdf'], { raw: 'AA==' })).toBe(true);
  });
});

describe(canProduce.name, () => {
  it('A2A-SEND-17: a caller that names no output mode takes any', () => {
    expect(canProduce(['text/plain'], [])).toBe(true);
    expect(canProduce(['text/plain'], ['image/png'])).toBe(false);
    expect(canProduce(['text/plain'], ['image/png', 'text'])).toBe(true);
  });
});
