import TestSequencer from '@jest/test-sequencer';

/** Files that take minutes, and those that hold the specs of a folder. */
const LONGEST =
  /\/suite\.ts$|scripts\/chaos\/small\/|test\/e2e\/(console|redis|hostile|processes)\/.*\.long\.|shifted-clocks/;

/** Jest's order, but what takes long comes first: begun last, it would run alone at the end. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const isLong = ({ path }) => LONGEST.test(path);
    const ordered = super.sort(tests);
    return [...ordered.filter(isLong), ...ordered.filter((test) => !isLong(test))];
  }
}
