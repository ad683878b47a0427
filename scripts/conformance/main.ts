// npm run conformance: writes which tests guard each row of the protocol checklist (test/contract/requirements.json)
// into docs/conformance/requirements.md. With --check it writes nothing. Either ends with 1 when a row has no test, no reason and no
// mark that it is not built, when a test names an unknown row, and --check when the written table is out of date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { citationsInGolden, citationsInSpec, type Citation } from './citations.js';
import { familyOf, readRequirements } from './requirements.js';
import { withTable } from './table.js';

const ROOT = new URL('../../', import.meta.url);
const TABLE = new URL('docs/conformance/requirements.md', ROOT);

const groups = readRequirements(new URL('test/contract/requirements.json', ROOT));
const requirements = groups.flatMap((group) => group.requirements);
const known = new Set(requirements.map(({ id }) => id));
const families = new Set([...known].map(familyOf));
const citations = testFiles()
  .flatMap(citationsIn)
  .filter(({ id }) => families.has(familyOf(id)));

const guards = new Map<string, string[]>();
for (const { id, place } of citations) guards.set(id, [...(guards.get(id) ?? []), place]);

const written = readFileSync(TABLE, 'utf8');
const table = withTable(written, groups, guards);
const isCheck = process.argv.includes('--check');
if (!isCheck) writeFileSync(TABLE, table);

const faults = [
  ...citations.filter(({ id }) => !known.has(id)).map(({ id, place }) => `${place} names ${id}, which is no row`),
  ...requirements.flatMap(({ id, rule, exempt, notBuilt }) => {
    const answers = [guards.has(id), exempt !== undefined, notBuilt !== undefined].filter(Boolean).length;
    if (answers === 0) return [`${id} has no test and no reason: ${rule}`];
    return answers > 1 ? [`${id} has a test and says that it has none, or two reasons`] : [];
  }),
  ...(isCheck && table !== written ? ['docs/conformance/requirements.md is out of date: npm run conformance'] : []),
];

const exempt = requirements.filter((row) => row.exempt !== undefined).length;
const notBuilt = requirements.filter((row) => row.notBuilt !== undefined).length;
console.log(
  `${known.size} requirements: ${guards.size} guarded by tests, ${exempt} do not apply, ${notBuilt} not built yet.`,
);
for (const fault of faults) console.log(`  ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Test sources, and the golden files whose cases are named like tests. */
function testFiles(): readonly string[] {
  return ['src', 'packages', 'skills', 'scripts', 'test']
    .filter((folder) => existsSync(new URL(folder, ROOT)))
    .flatMap((folder) =>
      readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => !path.includes('node_modules/'))
    .filter((path) => path.endsWith('.spec.ts') || /^test\/contract\/wire\/.*\.json$/.test(path))
    .sort();
}

function citationsIn(path: string): readonly Citation[] {
  const text = readFileSync(new URL(path, ROOT), 'utf8');
  return path.endsWith('.json') ? citationsInGolden(path, text) : citationsInSpec(path, text);
}
