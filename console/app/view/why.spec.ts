import { describe, expect, it } from '@jest/globals';
import { whyText } from './why.js';

describe(whyText.name, () => {
  const fault = { type: 'TypeError', message: 'x is undefined', reference: 'r-1' };

  it('adds the class, message and reference of the error to the reason, each once (C-1)', () => {
    expect(whyText({})).toBeUndefined();
    expect(whyText({ reason: 'No seat left.' })).toBe('No seat left.');
    expect(whyText({ reason: 'No seat left.', fault: { type: 'SkillFailure', message: 'No seat left.' } })).toBe(
      'No seat left.',
    );
    expect(whyText({ reason: 'Failed. Reference: r-1', fault })).toBe(
      'Failed. Reference: r-1 (TypeError: x is undefined)',
    );
    expect(whyText({ reason: 'Failed.', fault })).toBe('Failed. (TypeError: x is undefined Reference: r-1)');
    expect(whyText({ fault })).toBe('TypeError: x is undefined Reference: r-1');
  });
});
