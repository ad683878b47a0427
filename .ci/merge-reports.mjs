// What Jest reports of a run, and of what ran once more:
//
//   merge-reports.mjs FIRST          names of the suites that failed, a line each
//   merge-reports.mjs FIRST --tests  a pattern of the tests that failed; empty where a suite failed without a test
//   merge-reports.mjs FIRST AGAIN    writes into FIRST what those came to when they ran once more
import { readFileSync, writeFileSync } from 'node:fs';

const [firstFile, more] = process.argv.slice(2);
const first = JSON.parse(readFileSync(firstFile, 'utf8'));
const suites = first.testResults.filter(({ status }) => status === 'failed');
const testsOf = (results, wanted) =>
  results.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === wanted));

if (more === undefined) {
  console.log(suites.map(({ name }) => name).join('\n'));
} else if (more === '--tests') {
  const names = testsOf(suites, 'failed').map(({ fullName }) => fullName.replace(/[^\p{L}\p{N} ]/gu, '.'));
  console.log(suites.every((suite) => testsOf([suite], 'failed').length > 0) ? `^(${names.join('|')})$` : '');
} else {
  const again = JSON.parse(readFileSync(more, 'utf8'));
  const had = new Set(testsOf(suites, 'passed').map(({ fullName }) => fullName));
  const passedNow = testsOf(again.testResults, 'passed').filter(({ fullName }) => !had.has(fullName));
  const merged = {
    ...first,
    numPassedTests: first.numPassedTests + passedNow.length,
    numFailedTests: again.numFailedTests,
    numRuntimeErrorTestSuites: again.numRuntimeErrorTestSuites,
    testResults: again.testResults,
    passedOnceMore: testsOf(suites, 'failed')
      .map(({ fullName }) => fullName)
      .filter((name) => passedNow.some(({ fullName }) => fullName === name)),
  };
  writeFileSync(firstFile, JSON.stringify(merged));
}
