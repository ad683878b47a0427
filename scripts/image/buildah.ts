import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { join } from 'node:path';

const STEP_MS = 900_000;

/** A command that this check needs is missing, or it does not run as root. The message names the remedy. */
export class MissingToolError extends Error {}

/** The settings of an image that an engine follows when it starts it. */
export interface ImageConfig {
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
  /** Absent in an image that has none. */
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

/** buildah with a store of its own in a folder; its `chroot` isolation needs no engine, no daemon and no network set-up. */
export class Buildah {
  constructor(private readonly folder: string) {}

  /** @throws MissingToolError */
  static requireTools(): void {
    if (process.getuid?.() !== 0)
      throw new MissingToolError('Run this command as root: it makes file systems and mounts.');
    const missing = ['buildah', 'debootstrap', 'unshare', 'setpriv'].filter((tool) => !isThere(tool));
    if (missing.length > 0) {
      throw new MissingToolError(
        `Install ${missing.join(', ')} first (Debian: apt-get install buildah debootstrap util-linux).`,
      );
    }
  }

  /** Runs one command of buildah. @returns its output, without the last line break */
  run(words: readonly string[], options: ExecFileSyncOptions = {}): string {
    const driver = process.env.STORAGE_DRIVER ?? 'overlay';
    const store = [
      '--root',
      join(this.folder, 'store'),
      '--runroot',
      join(this.folder, 'run'),
      '--storage-driver',
      driver,
    ];
    const output = execFileSync('buildah', [...store, ...words], {
      ...{ timeout: STEP_MS, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 * 1024 ** 2 },
      ...options,
    });
    return String(output).trim();
  }

  has(image: string): boolean {
    return this.run(['images', '--format', '{{.Name}}:{{.Tag}}']).split('\n').includes(image);
  }

  /** An image of one layer. @param settings words of `buildah config` */
  importFolder(image: string, folder: string, settings: readonly string[]): void {
    const container = this.run(['from', 'scratch']);
    this.run(['add', '--quiet', container, folder, '/']);
    this.run(['config', ...settings, container]);
    this.run(['commit', '--quiet', '--rm', container, image]);
  }

  configOf(image: string): ImageConfig {
    const inspected = JSON.parse(this.run(['inspect', '--type', 'image', image])) as {
      Docker: { config: ImageConfig };
    };
    return inspected.Docker.config;
  }

  /** Mounts a container of the image. @returns its root folder, and the function that removes it */
  mount(image: string): { readonly root: string; readonly remove: () => void } {
    const container = this.run(['from', '--pull-never', image]);
    return { root: this.run(['mount', container]), remove: () => void this.run(['rm', container]) };
  }
}

function isThere(tool: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
