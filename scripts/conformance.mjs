// npm run conformance: counts which rows of the protocol checklist (test/contract/requirements.json) a test cites, and
// which docs/conformance.md lists as not done. Ends with 1 when a row is neither, or when a test cites an unknown row.
import { readdirSync, readFileSync } from 'node:fs';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const requirements = JSON.parse(read('test/contract/requirements.json'));
const cited = new Set(testFiles().flatMap((path) => [...citationsIn(read(path))]));
const listed = /^### Not done$(.*?)^## /ms.exec(read('docs/conformance.md'))?.[1] ?? '';
const notDone = new Set(
  [...listed.matchAll(/^\| ([A-Z][A-Z0-9]+(?:-[A-Z]+)?-(?:\d+|FINAL)) +\|/gm)].map(([, id]) => id),
);

const ids = Object.keys(requirements);
const open = ids.filter((id) => !cited.has(id) && !notDone.has(id));
const families = new Set(ids.map((id) => id.replace(/-[^-]+$/, '')));
const unknown = [...cited].filter((id) => families.has(id.replace(/-[^-]+$/, '')) && !ids.includes(id));
const both = ids.filter((id) => cited.has(id) && notDone.has(id));

console.log(
  `${ids.length} requirements: ${ids.filter((id) => cited.has(id)).length} cited by tests, ${notDone.size} not done.`,
);
for (const id of open) console.log(`  neither cited nor listed: ${id} ${requirements[id]}`);
for (const id of unknown) console.log(`  cited, but not a row of the checklist: ${id}`);
for (const id of both) console.log(`  cited and yet listed as not done: ${id}`);
process.exitCode = open.length + unknown.length + both.length === 0 ? 0 : 1;

/** Test sources, and the golden files whose cases are named like tests. */
function testFiles() {
  const all = ['src', 'test'].flatMap((folder) =>
    readdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true }).map((path) => `${folder}/${path}`),
  );
  return all.filter((path) => path.endsWith('.spec.ts') || /^test\/contract\/wire\/.*\.json$/.test(path));
}

/** Ids as tests write them: `A2A-SEND-01`, and after one of them `, -02` or `… -05` for others of its family. */
function citationsIn(text) {
  const found = new Set();
  const id = /\b((?:A2A-[A-Z]+|DISP|D01|V02|V03)-)(\d+|FINAL)((?:(?:, | … )(?:\1)?-?\d\d\b)*)/g;
  for (const [, family, first, others] of text.matchAll(id)) {
    found.add(family + first);
    let last = Number(first);
    for (const [, joint, number] of others.matchAll(/(, | … )(?:[A-Z0-9]+-)*-?(\d\d)/g)) {
      const from = joint === ' … ' ? last + 1 : Number(number);
      for (let at = from; at <= Number(number); at += 1) found.add(family + String(at).padStart(2, '0'));
      last = Number(number);
    }
  }
  return found;
}
