import { describe, expect, it } from '@jest/globals';
import { createProgram } from './program.js';

describe('parley task', () => {
  it.each([
    [
      ['tree', '0c0ca1de'],
      '"parley task" has no command "tree": operators of a Parley service have "parley ops tree".',
    ],
    [['tree'], '"parley task" has no command "tree": operators of a Parley service have "parley ops tree".'],
    [['webhooks', '0c0ca1de'], /have "parley ops webhooks"/],
    [['retry', '0c0ca1de'], '"parley task" has no command "retry": see "parley task --help".'],
  ])('says where a command is that it has not: %j', async (words, message) => {
    await expect(createProgram().parseAsync(['task', ...words], { from: 'user' })).rejects.toThrow(message);
  });
});
