import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../test/kit/run/eventually.js';

const TOOLS = fileURLToPath(new URL('../../.cache/tools', import.meta.url));
const FOLDER = join(tmpdir(), 'parley-compose');
const COMPOSE = 'github.com/docker/compose/v2';
const COMPOSE_VERSION = 'v2.40.3';
const STEP_MS = 1_800_000;

/** A tool that this check needs is missing. The message names the remedy. */
export class MissingTool extends Error {}

/** A Docker engine: the one that `docker` reaches, or one of this check alone. */
export class Engine {
  private constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly daemon: ChildProcess | undefined,
    private readonly composeProgram: readonly string[],
  ) {}

  /** @throws MissingTool */
  static async start(): Promise<Engine> {
    if (!isThere('docker', ['--version']))
      throw new MissingTool('Install Docker first (Debian: apt-get install docker.io).');
    if (isThere('docker', ['info'])) return new Engine(process.env, undefined, composeProgram());
    const { env, daemon } = startDaemon();
    const engine = new Engine(env, daemon, composeProgram());
    await eventually(
      () => {
        engine.docker(['info']);
      },
      { timeoutMs: 60_000 },
    );
    return engine;
  }

  /** @returns the output of `docker WORDS`, without its last line break */
  docker(words: readonly string[], input?: string): string {
    return this.run('docker', words, {}, input);
  }

  /** @returns the output of `docker compose WORDS` for the file of this repository */
  compose(words: readonly string[], variables: Readonly<Record<string, string>> = {}): string {
    const [program = '', ...first] = this.composeProgram;
    return this.run(program, [...first, '-p', 'parley-check', '-f', 'docker/compose.yaml', ...words], variables);
  }

  has(image: string): boolean {
    try {
      this.docker(['image', 'inspect', image]);
      return true;
    } catch {
      return false;
    }
  }

  /** Ends the daemon of this check, if it started one. */
  stop(): void {
    this.daemon?.kill('SIGTERM');
  }

  private run(
    program: string,
    words: readonly string[],
    variables: Readonly<Record<string, string>>,
    input?: string,
  ): string {
    const env = { ...this.env, ...variables };
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
    return execFileSync(program, words, {
      ...{ cwd: fileURLToPath(new URL('../..', import.meta.url)), env, stdio, encoding: 'utf8', timeout: STEP_MS },
      ...{ maxBuffer: 64 * 1024 ** 2, ...(input === undefined ? {} : { input }) },
    }).trim();
  }
}

function startDaemon(): { readonly env: NodeJS.ProcessEnv; readonly daemon: ChildProcess } {
  if (process.getuid?.() !== 0 || !isThere('dockerd', ['--version'])) {
    throw new MissingTool('Start a Docker engine, or run this command as root where dockerd is installed.');
  }
  mkdirSync(FOLDER, { recursive: true });
  const host = `unix://${join(FOLDER, 'docker.sock')}`;
  const places = ['--data-root', join(FOLDER, 'data'), '--exec-root', join(FOLDER, 'exec'), '-p', join(FOLDER, 'pid')];
  const log = openSync(join(FOLDER, 'dockerd.log'), 'a');
  const daemon = spawn('dockerd', [...places, '-H', host], { stdio: ['ignore', log, log] });
  return { env: { ...process.env, DOCKER_HOST: host }, daemon };
}

/** Compose 2.24 or later: the plugin of this machine, or one built with Go, once, in .cache/tools. */
function composeProgram(): readonly string[] {
  if (isThere('docker', ['compose', 'version'])) return ['docker', 'compose'];
  const program = join(TOOLS, 'docker-compose');
  if (!existsSync(program)) buildCompose(program);
  return [program];
}

/** `go install` refuses a module with `exclude`, so a module of ours requires it. */
function buildCompose(program: string): void {
  if (!isThere('go', ['version'])) throw new MissingTool('Install Docker Compose 2.24 or later, or Go to build it.');
  console.log(`Building Docker Compose ${COMPOSE_VERSION}, once (5 to 30 minutes) …`);
  const folder = join(FOLDER, 'compose');
  mkdirSync(folder, { recursive: true });
  mkdirSync(TOOLS, { recursive: true });
  const script = `
    set -e
    source=$(go mod download -json ${COMPOSE}@${COMPOSE_VERSION} | sed -n 's/.*"Dir": "\\(.*\\)".*/\\1/p')
    sed 's#^module .*#module composed#' "$source/go.mod" > go.mod
    cp "$source/go.sum" .
    go mod edit -require=${COMPOSE}@${COMPOSE_VERSION}
    go build -ldflags '-s -w' -o "$1" ${COMPOSE}/cmd`;
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod' };
  execFileSync('sh', ['-c', script, 'sh', program], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

function isThere(program: string, words: readonly string[]): boolean {
  try {
    execFileSync(program, words, { stdio: 'ignore', timeout: 30_000 });
    return true;
  } catch {
    return false;
  }
}
