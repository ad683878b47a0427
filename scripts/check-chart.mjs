/**
 * Checks the manifests that the Helm chart renders for each profile: by the validators of the Kubernetes schemas (formats,
 * required members, ranges) and, as typed literals, by the TypeScript compiler, which finds members that no schema has.
 * deploy/helm/rendered.json has a hash for each profile, and one for the chart. With Helm, manifests with another hash are a
 * problem until `--accept` writes it; both versions are in .cache/chart/ to be compared. Without Helm, only the hash of the
 * chart is compared.
 *
 *   node scripts/check-chart.mjs [--build] [--accept]      --build makes Helm with Go, once, in .cache/ (some minutes)
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import { HELM_MODULE } from './support/helm.mjs';

/** Helm asks no cluster here, so the checks name one. */
const KUBERNETES = ['--kube-version', '1.33.0'];
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CHART = join(ROOT, 'deploy/helm/parley');
const GOLDEN = join(ROOT, 'deploy/helm/rendered.json');
const TOOLS = join(ROOT, '.cache/tools');
const WORK = join(ROOT, '.cache/chart');

/**
 * The packages that hold the schemas of an API group; those of Kubernetes itself are the default.
 * @type {Readonly<Record<string, string>>}
 */
const PACKAGES = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

/** @typedef {{ apiVersion: string, kind: string, metadata: { name: string } }} Manifest */

const helm = findHelm();
const chart = digestOfChart();
/** @type {{ chart: string, profiles: Readonly<Record<string, string>> }} */
const golden = JSON.parse(readFileSync(GOLDEN, 'utf8'));
const problems = helm === undefined ? problemsOfDigest() : await problemsOfRendered(helm);
for (const problem of problems) console.error(problem);
const how = helm === undefined ? 'Without Helm: only the hash of the chart was compared' : 'Rendered with Helm';
console.log(`${how}. ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** @returns {string[]} */
function problemsOfDigest() {
  return golden.chart === chart ? [] : ['The chart has changed: npm run check:chart -- --accept renders and checks it'];
}

/** @param {string} program @returns {Promise<string[]>} */
async function problemsOfRendered(program) {
  mkdirSync(WORK, { recursive: true });
  const profiles = readdirSync(join(CHART, 'ci')).map((name) => name.replace('-values.yaml', ''));
  const texts = Object.fromEntries(profiles.map((profile) => [profile, rendered(program, CHART, profile)]));
  const found = (await Promise.all(profiles.map((profile) => problemsOf(profile, texts[profile] ?? '')))).flat();
  const hashes = Object.fromEntries(profiles.map((profile) => [profile, hashOf(texts[profile] ?? '')]));
  if (process.argv.includes('--accept')) {
    writeFileSync(GOLDEN, `${JSON.stringify({ chart, profiles: hashes }, undefined, 2)}\n`);
    return found;
  }
  const changed = profiles.filter((profile) => hashes[profile] !== golden.profiles[profile]);
  if (changed.length === 0) return [...found, ...problemsOfDigest()];
  return [...found, ...changed.map((profile) => difference(program, profile, texts[profile] ?? ''))];
}

/** Stores the manifests beside those of the committed chart. @param {string} program @param {string} profile @param {string} text */
function difference(program, profile, text) {
  const before = join(WORK, 'committed');
  rmSync(before, { recursive: true, force: true });
  mkdirSync(before, { recursive: true });
  const archive = join(WORK, 'committed.tar');
  run('git', ['-C', ROOT, 'archive', '-o', archive, 'HEAD', 'deploy/helm/parley']);
  run('tar', ['-xf', archive, '-C', before]);
  const [now, then] = [join(WORK, `${profile}.yaml`), join(WORK, `${profile}.committed.yaml`)];
  writeFileSync(now, text);
  writeFileSync(then, rendered(program, join(before, 'deploy/helm/parley'), profile));
  const files = [then, now].map((file) => file.slice(ROOT.length)).join(' ');
  return `${profile}: renders other manifests (see: diff ${files}; npm run check:chart -- --accept takes them)`;
}

/** @param {string} profile @param {string} text @returns {Promise<string[]>} */
async function problemsOf(profile, text) {
  const documents = parseAllDocuments(text, { uniqueKeys: true });
  const found = documents.flatMap(({ errors }) => errors.map(({ message }) => message));
  /** @type {Manifest[]} */
  const manifests = documents.map((document) => document.toJS()).filter((manifest) => manifest !== null);
  if (manifests.length < 8) found.push(`only ${manifests.length} manifests`);
  const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  found.push(...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} twice`));
  found.push(...(await Promise.all(manifests.map(schemaProblem))).flat());
  found.push(...typeProblems(profile, manifests));
  return found.map((problem) => `${profile}: ${problem}`);
}

/** The manifests of a profile. @param {string} program @param {string} folder @param {string} profile @returns {string} */
function rendered(program, folder, profile) {
  const values = join(folder, 'ci', `${profile}-values.yaml`);
  run(program, ['lint', '--strict', folder, ...KUBERNETES, '-f', values]);
  const text = run(program, ['template', 'release', folder, ...KUBERNETES, '--namespace', 'agents', '-f', values]);
  return text.replaceAll(/ +$/gm, '');
}

/** @param {string} text @returns {string} */
function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** One digest of everything that Helm reads. @returns {string} */
function digestOfChart() {
  const hash = createHash('sha256');
  const files = readdirSync(CHART, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => !path.endsWith('.md'));
  for (const path of paths.sort()) hash.update(`${path.slice(CHART.length)}\n`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

/** @param {Manifest} manifest @returns {string} */
function moduleOf({ apiVersion, kind }) {
  const [group = ''] = apiVersion.split('/');
  return `${PACKAGES[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
}

/** @param {Manifest} manifest @returns {Promise<string[]>} */
async function schemaProblem(manifest) {
  const models = await import(moduleOf(manifest));
  try {
    new models[manifest.kind](manifest).validate();
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [`${manifest.kind}/${manifest.metadata.name}: ${reason}`];
  }
}

/** Compiles the manifests as literals and returns the findings. @param {string} profile @param {Manifest[]} manifests */
function typeProblems(profile, manifests) {
  const literals = manifests.map((manifest, at) => {
    const type = `import('${moduleOf(manifest)}').I${manifest.kind}`;
    return `export const manifest${at}: ${type} = ${JSON.stringify(manifest, undefined, 2)};`;
  });
  const file = join(WORK, `${profile}.mts`);
  writeFileSync(file, `${literals.join('\n')}\n`);
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0, file: source }) => {
    const text = source?.text ?? '';
    const line = text.slice(start, text.indexOf('\n', start)).trim();
    return `${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** @returns {string | undefined} */
function findHelm() {
  const built = join(TOOLS, 'helm');
  if (existsSync(built)) return built;
  if (answers('helm', ['version'])) return 'helm';
  if (!process.argv.includes('--build')) return undefined;
  if (!answers('go', ['version'])) {
    console.log('Go is not here, so Helm cannot be built');
    return undefined;
  }
  console.log(`Building ${HELM_MODULE} into .cache/tools`);
  mkdirSync(TOOLS, { recursive: true });
  run('go', ['install', HELM_MODULE], { GOBIN: TOOLS });
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
