import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { toStandardBase64 } from '@parley/protocol/json/standard-base64.js';
import { PartDto } from './message.dto.js';

const ofEightMebibytes = 'A'.repeat(8 * 1_048_576);

function isRefused(raw: string): boolean {
  return validateSync(plainToInstance(PartDto, { raw })).length > 0;
}

describe('the bytes of a file', () => {
  // First: a pattern compiled earlier stays optimized.
  describe('in a process with so many compiled patterns that V8 optimizes no more', () => {
    beforeEach(() => setFlagsFromString('--no-regexp-optimization'));
    afterEach(() => setFlagsFromString('--regexp-optimization'));

    it('are checked whatever their length (I12)', () => {
      expect(isRefused(ofEightMebibytes)).toBe(false);
      expect(isRefused(`${ofEightMebibytes}!===`)).toBe(true);
    });

    it('are normalised whatever their length (A2A-JSON-08)', () => {
      expect(toStandardBase64(`${ofEightMebibytes}_-8`).slice(-4)).toBe('/+8=');
    });
  });

  it.each(['', 'aGk=', 'aA==', 'aGkh', '+/+/'])('are base64: %j', (raw) => {
    expect(isRefused(raw)).toBe(false);
  });

  it.each(['a', 'aGk', 'a===', 'aG=k', '=aGk', '====', 'aGk\n', 'a-_=', 'ä+/='])('are not base64: %j', (raw) => {
    expect(isRefused(raw)).toBe(true);
  });
});
