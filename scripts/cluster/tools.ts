import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingToolError } from '../image/buildah.js';
import { command } from '../support/command.js';
import { HELM_MODULE } from '../support/helm.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const KUBERNETES = '1.33.13';
export const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
/** Those of the registry for the chart. */
export const ARTIFACT_PROGRAMS = ['helm', 'crane'] as const;

const MODULES: Readonly<Record<string, string>> = {
  crane: 'github.com/google/go-containerregistry/cmd/crane@v0.20.6',
  helm: HELM_MODULE,
};

const TOOLS = join(ROOT, '.cache/tools');

/** Files of Go modules: custom resources that the chart renders. */
const CUSTOM_RESOURCES = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    folder: 'example/prometheus-operator-crd',
    files: ['monitoring.coreos.com_prometheusrules.yaml', 'monitoring.coreos.com_servicemonitors.yaml'],
  },
  {
    module: 'github.com/kedacore/keda/v2@v2.15.1',
    folder: 'config/crd/bases',
    files: ['keda.sh_scaledobjects.yaml'],
  },
];

/** The path of a program: that in .cache/tools, or of the machine. */
export function tool(name: string): string {
  const built = join(TOOLS, name);
  return existsSync(built) ? built : name;
}

/** @returns the files of the custom resources */
export function customResources(): readonly string[] {
  return CUSTOM_RESOURCES.flatMap(({ files }) => files.map((file) => join(TOOLS, file)));
}

/** Runs Helm with folders of its own. @returns its output, without the last line break */
export function helm(words: readonly string[], folder: string, env = process.env): Promise<string> {
  const folders = Object.fromEntries(
    ['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, join(folder, 'helm')]),
  );
  return command(tool('helm'), words, { cwd: ROOT, env: { ...env, ...folders } });
}

/** Those of the programs that .cache/tools lacks. */
export function notCached(programs: readonly string[]): readonly string[] {
  return programs.filter((name) => !existsSync(join(TOOLS, name)));
}

/**
 * Programs that come as packages of the machine.
 * @throws MissingToolError
 */
export async function requirePrograms(programs: Readonly<Record<string, string>>): Promise<void> {
  for (const [program, remedy] of Object.entries(programs)) {
    await command('sh', ['-c', `command -v ${program}`]).catch(() => {
      throw new MissingToolError(`${program} is missing: ${remedy}`);
    });
  }
}

/** Builds what .cache/tools lacks, once. */
export async function buildTools(programs: readonly string[]): Promise<void> {
  const missing = notCached(programs);
  const files = customResources().filter((file) => !existsSync(file));
  if (missing.length === 0 && files.length === 0) return;
  await requirePrograms({ go: 'install Go 1.24 or newer' });
  mkdirSync(TOOLS, { recursive: true });
  if (files.length > 0) await copyCustomResources();
  const [installed, ofKubernetes] = [
    missing.filter((name) => name in MODULES),
    missing.filter((name) => !(name in MODULES)),
  ];
  for (const name of installed) {
    console.log(`Building ${name}, once …`);
    await command('go', ['install', MODULES[name] ?? ''], { env: { ...process.env, GOBIN: TOOLS } });
  }
  if (ofKubernetes.length > 0) await buildKubernetes(ofKubernetes);
}

async function copyCustomResources(): Promise<void> {
  for (const { module, folder, files } of CUSTOM_RESOURCES) {
    const source = join(await moduleFolder(module), folder);
    for (const file of files) copyFileSync(join(source, file), join(TOOLS, file));
  }
}

/** Kubernetes is one module, whose `replace` lines name folders that a module does not have. */
async function buildKubernetes(programs: readonly string[]): Promise<void> {
  console.log(`Building ${programs.join(', ')} ${KUBERNETES}, once (10 to 60 minutes) …`);
  const folder = mkdtempSync(join(tmpdir(), 'parley-kubernetes-'));
  const module = `k8s.io/kubernetes@v${KUBERNETES}`;
  const [, minor = ''] = KUBERNETES.split('.');
  const version = 'k8s.io/component-base/version';
  const settings = [`gitVersion=v${KUBERNETES}`, 'gitMajor=1', `gitMinor=${minor}`];
  const script = `
    set -e
    sed -e 's#^module .*#module cluster#' \\
      -e 's#=> ./staging/src/k8s.io/\\(.*\\)#=> k8s.io/\\1 v0.${KUBERNETES.slice(2)}#' "$1/go.mod" > go.mod
    cp "$1/go.sum" . && chmod u+w go.sum
    go mod edit -require=${module}
    for program in ${programs.join(' ')}; do
      go build -ldflags '-s -w ${settings.map((setting) => `-X ${version}.${setting}`).join(' ')}' \\
        -o "$2/$program" "k8s.io/kubernetes/cmd/$program"
    done`;
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod -buildvcs=false' };
  const words = ['-c', script, 'sh', await moduleFolder(module), TOOLS];
  await command('sh', words, { cwd: folder, env }).finally(() => {
    rmSync(folder, { recursive: true });
  });
}

async function moduleFolder(module: string): Promise<string> {
  const { Dir } = JSON.parse(await command('go', ['mod', 'download', '-json', module])) as { readonly Dir: string };
  return Dir;
}
