import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { BODY, SECRET, signedHeaders, webhookCode } from '../../kit/stubs/signed-call.js';

describe('docs/webhooks.md', () => {
  it('verifies a genuine call in Python, and no other', () => {
    const [code = ''] = webhookCode('python');
    const calls = [BODY, '{}'].map(
      (body) => `is_genuine(${JSON.stringify(body)}.encode(), headers, ${JSON.stringify(SECRET)})`,
    );
    const program = `${code}\nheaders = ${JSON.stringify(signedHeaders())}\nprint([${calls.join(', ')}])\n`;
    expect(execFileSync('python3', ['-c', program], { encoding: 'utf8' }).trim()).toBe('[True, False]');
  });
});
