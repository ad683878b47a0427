import { describe, expect, it } from '@jest/globals';
import { ScriptCommand } from './script-command.js';

describe(ScriptCommand, () => {
  it('states the length of each argument in bytes', () => {
    expect(new ScriptCommand(['sha', 1, 'key', 'Grüße 🙂']).toWritable()).toBe(
      '*5\r\n$7\r\nevalsha\r\n$3\r\nsha\r\n$1\r\n1\r\n$3\r\nkey\r\n$12\r\nGrüße 🙂\r\n',
    );
    expect(new ScriptCommand(['sha', 0]).toWritable()).toBe('*3\r\n$7\r\nevalsha\r\n$3\r\nsha\r\n$1\r\n0\r\n');
  });

  it('states the length of an argument above 1 KiB', () => {
    const long = 'x'.repeat(2_000);
    expect(new ScriptCommand(['sha', 0, long]).toWritable()).toContain(`\r\n$2000\r\n${long}\r\n`);
  });
});
