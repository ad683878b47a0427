// Names the tests that failed, and those that passed only when they ran once more, from Jest's reports: named-failures.mjs REPORT…
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const mostMessage = 2_000;

for (const file of process.argv.slice(2)) {
  const { testResults, passedOnceMore = [] } = JSON.parse(readFileSync(file, 'utf8'));
  for (const { name, status, message, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of failed) {
      console.log(
        `FAILED TEST: ${relative('.', name)}: ${fullName}\n${failureMessages.join('\n').slice(0, mostMessage)}`,
      );
    }
    if (status === 'failed' && failed.length === 0) {
      console.log(`FAILED SUITE: ${relative('.', name)}\n${message.slice(0, mostMessage)}`);
    }
  }
  for (const fullName of passedOnceMore) console.log(`PASSED ONLY THE SECOND TIME: ${fullName}`);
}
