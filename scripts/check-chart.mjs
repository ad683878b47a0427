/**
 * Checks what the Helm chart renders for every profile: each manifest by the validators of the Kubernetes schemas
 * (formats, required members, ranges) and, as a typed literal, by the TypeScript compiler, which finds members that no
 * schema has. With Helm installed it renders the chart and stores the result in deploy/rendered/; without Helm it checks the
 * stored files, and that they were rendered from the current chart.
 *
 *   node scripts/check-chart.mjs [--build]      --build makes Helm with Go, once, in .cache/ (some minutes)
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
/** Helm asks no cluster here, so it is told which one to imagine. */
const KUBERNETES = ['--kube-version', '1.33.0'];
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CHART = join(ROOT, 'deploy/helm/parley');
const RENDERED = join(ROOT, 'deploy/rendered');
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
const digest = digestOfChart();
const profiles = readdirSync(join(CHART, 'ci')).map((name) => name.replace('-values.yaml', ''));
const problems = (await Promise.all(profiles.map(problemsOf))).flat();
for (const problem of problems) console.error(problem);
const how = helm === undefined ? 'Helm is not here: checked what was rendered before' : 'Rendered with Helm';
console.log(`${how}. ${profiles.length} profiles, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** @param {string} profile @returns {Promise<string[]>} */
async function problemsOf(profile) {
  const text = renderedText(profile);
  if (!text.startsWith(header()))
    return [`${profile}: the chart has changed since: npm run check:chart renders it anew`];
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

/** What Helm makes of the profile, or what it made of it before. @param {string} profile @returns {string} */
function renderedText(profile) {
  const file = join(RENDERED, `${profile}.yaml`);
  if (helm === undefined) return existsSync(file) ? readFileSync(file, 'utf8') : '';
  const values = join(CHART, 'ci', `${profile}-values.yaml`);
  run(helm, ['lint', '--strict', CHART, ...KUBERNETES, '-f', values]);
  const text = run(helm, ['template', 'release', CHART, ...KUBERNETES, '--namespace', 'agents', '-f', values]);
  mkdirSync(RENDERED, { recursive: true });
  writeFileSync(file, `${header()}${text.replaceAll(/ +$/gm, '')}`);
  return readFileSync(file, 'utf8');
}

function header() {
  return `# Rendered by Helm from the chart with the digest ${digest}: not to be edited.\n`;
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

/** What the compiler says of the manifests as literals. @param {string} profile @param {Manifest[]} manifests */
function typeProblems(profile, manifests) {
  const literals = manifests.map((manifest, at) => {
    const type = `import('${moduleOf(manifest)}').I${manifest.kind}`;
    return `export const manifest${at}: ${type} = ${JSON.stringify(manifest, undefined, 2)};`;
  });
  mkdirSync(WORK, { recursive: true });
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
  console.log(`Building ${HELM} into .cache/tools`);
  mkdirSync(TOOLS, { recursive: true });
  run('go', ['install', HELM], { GOBIN: TOOLS });
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
