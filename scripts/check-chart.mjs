/**
 * Renders every profile of the Helm chart with Helm itself and checks what comes out: each manifest by the validators of
 * the Kubernetes schemas (formats, required members, ranges) and, as a typed literal, by the TypeScript compiler, which
 * finds members that no schema has. Needs Helm on the PATH, or Go to build it once into .cache/; without either it says
 * so and checks the values files only.
 *
 *   node scripts/check-chart.mjs
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
/** Helm asks no cluster here, so it is told which one to imagine. */
const KUBERNETES = ['--kube-version', '1.33.0'];
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CHART = join(ROOT, 'deploy/helm/parley');
const TOOLS = resolve(ROOT, '.cache/tools');
const WORK = resolve(ROOT, '.cache/chart');

/** The packages that hold the schemas of an API group; those of Kubernetes itself are the default. */
const PACKAGES = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

/**
 * @typedef {{ apiVersion: string, kind: string, metadata: { name: string, labels?: Record<string, string> } }} Manifest
 */

const helm = findHelm();
const profiles = readdirSync(join(CHART, 'ci')).filter((name) => name.endsWith('-values.yaml'));
const problems = profiles.flatMap((profile) => checkProfile(profile));
for (const problem of await Promise.all(problems)) if (problem !== '') console.error(problem);
const failed = (await Promise.all(problems)).filter((problem) => problem !== '').length;
if (helm === undefined) console.log('Not rendered: neither helm nor go is on the PATH. The values files parse.');
else console.log(`${profiles.length} profiles rendered and validated, ${failed} problems`);
process.exitCode = failed === 0 ? 0 : 1;

/** @param {string} profile @returns {Promise<string>[]} */
function checkProfile(profile) {
  const values = join(CHART, 'ci', profile);
  parse(readFileSync(values, 'utf8'));
  if (helm === undefined) return [];
  run(helm, ['lint', '--strict', CHART, ...KUBERNETES, '-f', values]);
  const text = run(helm, ['template', 'release', CHART, ...KUBERNETES, '--namespace', 'agents', '-f', values]);
  const documents = parseAllDocuments(text, { uniqueKeys: true });
  const manifests = documents
    .map((document) => /** @type {Manifest | null} */ (document.toJS()))
    .filter((it) => it !== null);
  if (manifests.length < 8) throw new Error(`${profile} renders ${manifests.length} manifests only`);
  const broken = documents.flatMap(({ errors }) => errors.map((error) => `${profile}: ${error.message}`));
  const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  const twice = names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${profile}: ${name} twice`);
  const typed = typeProblems(profile, manifests);
  return [...broken, ...twice, ...typed]
    .map((it) => Promise.resolve(it))
    .concat(manifests.map((manifest) => schemaProblem(profile, manifest)));
}

/** @param {Manifest} manifest @returns {string} */
function moduleOf({ apiVersion, kind }) {
  const [group = ''] = apiVersion.split('/');
  const name = Object.hasOwn(PACKAGES, group)
    ? PACKAGES[/** @type {keyof typeof PACKAGES} */ (group)]
    : 'kubernetes-models';
  return `${name}/${apiVersion}/${kind}`;
}

/** @param {string} profile @param {Manifest} manifest @returns {Promise<string>} */
async function schemaProblem(profile, manifest) {
  const models = await import(moduleOf(manifest));
  try {
    new models[manifest.kind](manifest).validate();
    return '';
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${profile}: ${manifest.kind}/${manifest.metadata.name}: ${reason}`;
  }
}

/** Members that no type has, as the compiler sees them in literals. @param {string} profile @param {Manifest[]} manifests */
function typeProblems(profile, manifests) {
  const lines = manifests.map((manifest, at) => {
    const { kind } = manifest;
    const type = `import('${moduleOf(manifest)}').I${kind}`;
    return `export const manifest${at}: ${type} = ${JSON.stringify(manifest, undefined, 2)};`;
  });
  mkdirSync(WORK, { recursive: true });
  const file = join(WORK, `${profile.replace('-values.yaml', '')}.mts`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start, file: source }) => {
    const where = source?.text.slice(0, start).lastIndexOf('"kind": "') ?? -1;
    const line =
      source === undefined || start === undefined ? '' : source.text.slice(start, source.text.indexOf('\n', start));
    const kind = where < 0 ? '' : (/"kind": "(\w+)"/.exec(source?.text.slice(where) ?? '')?.[1] ?? '');
    return `${profile}: ${kind}: ${line.trim()}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** @returns {string | undefined} */
function findHelm() {
  const built = join(TOOLS, 'helm');
  if (existsSync(built)) return built;
  if (answers('helm', ['version'])) return 'helm';
  if (!answers('go', ['version'])) return undefined;
  console.log(`Building ${HELM} into .cache/tools, once`);
  mkdirSync(TOOLS, { recursive: true });
  run('go', ['install', HELM], { GOBIN: TOOLS, GOFLAGS: '-trimpath' });
  return built;
}

/** @param {string} program @param {string[]} args */
function answers(program, args) {
  try {
    run(program, args);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} program @param {string[]} args @param {Record<string, string>} variables @returns {string} */
function run(program, args, variables = {}) {
  return execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
    maxBuffer: 64 * 1024 * 1024,
  });
}
