import { describe, expect, it } from '@jest/globals';
import { eventWord, PARKED, stateWord, wordText, type StateWord } from './state-word.js';

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
  it('reads what was written', () => {
    for (const nonce of ['n1', '', PARKED]) {
      const word = { ...RUNNING, nonce };
      expect(stateWord(wordText(word))).toEqual(word);
    }
  });
});

describe(eventWord.name, () => {
  it('reads the latest event of what was written', () => {
    for (const nonce of ['n1', '', PARKED]) {
      const { state, seq, last } = RUNNING;
      expect(eventWord(wordText({ ...RUNNING, nonce }))).toEqual({ state, seq, last });
    }
  });
});
