// merge-reports.mjs FIRST AGAIN: prints the names of FIRST's failed suites; with AGAIN, writes into FIRST what they came to
// when they ran once more.
import { readFileSync, writeFileSync } from 'node:fs';

const [firstFile, againFile] = process.argv.slice(2);
const first = JSON.parse(readFileSync(firstFile, 'utf8'));
const failed = first.testResults.filter(({ status }) => status === 'failed');
if (againFile === undefined) {
  console.log(failed.map(({ name }) => name).join('\n'));
} else {
  const again = JSON.parse(readFileSync(againFile, 'utf8'));
  const passedThere = failed
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed');
  const merged = {
    ...first,
    numPassedTests: first.numPassedTests - passedThere.length + again.numPassedTests,
    numFailedTests: again.numFailedTests,
    numRuntimeErrorTestSuites: again.numRuntimeErrorTestSuites,
  };
  writeFileSync(firstFile, JSON.stringify(merged));
}
