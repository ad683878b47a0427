import { describe, expect, it } from '@jest/globals';
import { PARKED, stateWord, wordText, type StateWord } from './state-word.js';

const RUNNING: StateWord = {
  state: 'TASK_STATE_WORKING',
  seq: 12,
  fence: 3,
  nonce: 'n1',
  turn: 2,
  attempt: 1,
  last: 'abc',
};

describe(stateWord.name, () => {
  it('parses its own output', () => {
    for (const nonce of ['n1', '', PARKED]) {
      const word = { ...RUNNING, nonce };
      expect(stateWord(wordText(word))).toEqual(word);
    }
  });
});
