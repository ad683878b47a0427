import { describe, expect, it } from '@jest/globals';
import { unpermitted } from './sbom.mjs';

const component = (name: string, ...licenses: object[]): object => ({ name, version: '1.0.0', licenses });

describe(unpermitted.name, () => {
  it('names packages without a permitted licence', () => {
    const components = [
      component('a', { license: { id: 'MIT' } }),
      component('b', { expression: '(GPL-3.0 OR Apache-2.0)' }),
      component('c', { expression: '(Apache-2.0 AND BSD-3-Clause)' }),
      component('d', { license: { id: 'GPL-3.0-only' } }),
      component('e', { expression: 'MIT AND LGPL-3.0' }),
      component('f'),
      component('pause'),
    ];
    expect(unpermitted({ components })).toEqual([
      'd@1.0.0: GPL-3.0-only',
      'e@1.0.0: MIT AND LGPL-3.0',
      'f@1.0.0: no licence',
    ]);
  });
});
