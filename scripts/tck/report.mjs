import { readFileSync } from 'node:fs';

const KNOWN = JSON.parse(readFileSync(new URL('../../test/tck/known-faults.json', import.meta.url), 'utf8'));

/** Prints a line for a run and for each test that failed. Whether everything passed but the known failures. */
export function isClean({ name, cases }) {
  const count = (outcome) => cases.filter((it) => it.outcome === outcome).length;
  console.log(`${name}: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
  let clean = true;
  for (const { id, reason } of cases.filter(({ outcome }) => outcome === 'failed')) {
    const known = KNOWN.find(({ tests }) => tests.some((test) => id.includes(test)));
    if (known === undefined) clean = false;
    const why = known === undefined ? reason : `${known.requirement}: ${known.why}`;
    console.log(`  ${known === undefined ? 'FAILED' : 'known '} ${id}\n         ${why}`);
  }
  return clean;
}
