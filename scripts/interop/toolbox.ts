import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ServerCommand } from './foreign-server.js';
import { freeLoopbackPort } from '../../src/platform/redis/embedded/free-port.js';

const run = promisify(execFile);
/** The drivers' sources. */
const SOURCES = fileURLToPath(new URL('../../test/interop', import.meta.url));

/** Where clients are installed, and with which programs. */
export interface Toolbox {
  /** A folder outside of git. */
  readonly cache: string;
  readonly python: string;
}

type Install = (toolbox: Toolbox) => Promise<readonly [string, ...string[]]>;

/** Gives the command that starts a server, anew for each start. */
export type InstallServer = (toolbox: Toolbox) => Promise<() => Promise<ServerCommand>>;

/** A version of a2a-sdk in an environment of its own. */
export function pythonDriver(version: string, driver: string): Install {
  return async (toolbox) => {
    const program = await pythonWith(toolbox, version);
    return [program, '-B', join(SOURCES, 'python', `${driver}.py`)];
  };
}

/** A version of a framework for agents in an environment of its own. */
export function frameworkDriver(name: string, version: string, { extra = '', driver }: FrameworkSource): Install {
  return async ({ cache, python }) => {
    const folder = join(cache, `${name}-${version}`);
    const program = join(folder, 'bin/python');
    await once(join(folder, '.installed'), async () => {
      await run(python, ['-m', 'venv', folder]);
      await run(program, ['-m', 'pip', 'install', '--quiet', `${name}${extra}==${version}`]);
    });
    return [program, '-B', join(SOURCES, 'python', `${driver}.py`)];
  };
}

interface FrameworkSource {
  /** The optional part of the package that speaks A2A, as pip names it. */
  readonly extra?: string;
  readonly driver: string;
}

/** The server of a version of a2a-sdk, in the same environment. */
export function pythonServer(version: string, server: string): InstallServer {
  return async (toolbox) => {
    const program = await pythonWith(toolbox, version);
    const packages = [`a2a-sdk[http-server]==${version}`, 'uvicorn'];
    await once(join(toolbox.cache, `python-${version}`, '.installed-server'), () =>
      run(program, ['-m', 'pip', 'install', '--quiet', ...packages]),
    );
    return () => Promise.resolve([program, '-B', join(SOURCES, 'python', `${server}.py`)]);
  };
}

async function pythonWith({ cache, python }: Toolbox, version: string): Promise<string> {
  const folder = join(cache, `python-${version}`);
  const program = join(folder, 'bin/python');
  await once(join(folder, '.installed'), async () => {
    await run(python, ['-m', 'venv', folder]);
    await run(program, ['-m', 'pip', 'install', '--quiet', `a2a-sdk[grpc]==${version}`]);
  });
  return program;
}

/** The Rust client. Cargo's own cache knows whether there is anything to build; the first time takes minutes. */
export function rustDriver(): Install {
  return async ({ cache }) => {
    const target = join(cache, 'rust-target');
    await run('cargo', ['build', '--quiet', '--locked', '--target-dir', target], { cwd: join(SOURCES, 'rust') });
    return [join(target, 'debug/interop')];
  };
}

/** The Go client, in one of the versions that it speaks. Go's own cache knows whether there is anything to build. */
export function goDriver(version: string): Install {
  return async ({ cache }) => {
    const program = join(cache, 'go-driver');
    await run('go', ['build', '-o', program, '.'], { cwd: join(SOURCES, 'go') });
    return [program, version];
  };
}

export function goServer(): InstallServer {
  return async ({ cache }) => {
    const program = join(cache, 'go-server');
    await run('go', ['build', '-o', program, './server'], { cwd: join(SOURCES, 'go') });
    return () => Promise.resolve([program]);
  };
}

/** The reference server of Java: Maven packages it, which takes minutes the first time. */
export function javaServer(): InstallServer {
  return async ({ cache }) => {
    const source = join(SOURCES, 'java/server');
    const parts = await Promise.all(
      ['pom.xml', 'src/main/java/interop/Interop.java'].map((name) => readFile(join(source, name), 'utf8')),
    );
    const folder = join(cache, 'java-server');
    const target = `-Dinterop.target=${folder}`;
    await mkdir(folder, { recursive: true });
    await once(join(folder, `.installed-${hash('sha256', parts.join(), 'hex').slice(0, 16)}`), () =>
      run('mvn', ['-q', '-B', '-f', join(source, 'pom.xml'), target, 'package']),
    );
    return async () => {
      const port = String(await freeLoopbackPort());
      const at = ['-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`];
      const named = `-Dinterop.url=http://127.0.0.1:${port}`;
      return ['java', ...at, named, '-jar', join(folder, 'quarkus-app/quarkus-run.jar')];
    };
  };
}

/** A version of the Java client: Maven brings the packages, javac compiles the driver. */
export function javaDriver(driver: string): Install {
  return async ({ cache }) => {
    const folder = join(cache, `java-${driver}`);
    const source = join(SOURCES, 'java', driver);
    const packages = join(folder, 'lib');
    const pom = hash('sha256', await readFile(join(source, 'pom.xml')), 'hex');
    await once(join(folder, `.installed-${pom.slice(0, 16)}`), () =>
      run('mvn', [
        '-q',
        '-B',
        '-f',
        join(source, 'pom.xml'),
        'dependency:copy-dependencies',
        `-DoutputDirectory=${packages}`,
      ]),
    );
    const classes = join(folder, 'classes');
    const path = [classes, ...(await readdir(packages)).map((name) => join(packages, name))].join(delimiter);
    await mkdir(classes, { recursive: true });
    await run('javac', ['-nowarn', '-d', classes, '-cp', path, join(source, 'Driver.java')]);
    return ['java', '-cp', path, 'Driver'];
  };
}

/** Does the work unless the marker says that it was done to the end before. */
async function once(marker: string, work: () => Promise<unknown>): Promise<void> {
  const isDone = await access(marker).then(
    () => true,
    () => false,
  );
  if (isDone) return;
  await work();
  await writeFile(marker, '');
}
