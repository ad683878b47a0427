import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ImageConfig } from './buildah.js';

/** Makes an engine's mounts, makes the root read-only, and becomes the user of the image without any right to more. */
const ENTER = `
root=$1; user=$2; folder=$3; shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o size=64k,mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do : > "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
for file in hosts resolv.conf; do mount --bind "/etc/$file" "$root/etc/$file"; done
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs --clear-groups unshare --root="$root" --wd="$folder" --setgid "\${user#*:}" --setuid "\${user%:*}" -- "$@"
`;

export interface ContainerOptions {
  readonly config: ImageConfig;
  /** The mounted root folder of the image. */
  readonly root: string;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * A process of the image as an engine starts it: process 1 of a namespace of its own, on a read-only root, as the image's user, with the
 * image's variables and command. It shares the network of this machine.
 */
export class Container {
  readonly lines: string[] = [];
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(private readonly options: ContainerOptions) {
    const { Entrypoint, Cmd } = options.config;
    this.child = spawn('unshare', [...NAMESPACES, ...this.words([...Entrypoint, ...Cmd])], {
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    }
    this.ended = new Promise((resolve) =>
      this.child.once('exit', (code) => {
        resolve(code);
      }),
    );
    process.once('exit', () => {
      this.end();
    });
  }

  /** Process 1 of the container, by its id on this machine. */
  get pid(): number {
    const { pid = 0 } = this.child;
    return Number(readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8').trim());
  }

  /** Identity and rights of process 1, as the kernel has them. */
  get status(): Readonly<Record<string, string>> {
    const lines = readFileSync(`/proc/${String(this.pid)}/status`, 'utf8').split('\n');
    return Object.fromEntries(lines.map((line) => line.split(':\t') as [string, string]));
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Ends it, however it is; the namespace ends with it. */
  async kill(): Promise<void> {
    this.end();
    await this.ended;
  }

  /** Process 1 itself: it has changed its user, so the kernel no longer ends it with its parent (prctl(2), PR_SET_PDEATHSIG). */
  private end(): void {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const { pid } = this;
    if (pid > 0) process.kill(pid, 'SIGKILL');
    else this.child.kill('SIGKILL');
  }

  /** Runs another command in the image, as `docker exec` does. @returns its output */
  run(command: readonly string[]): string {
    const words = [...NAMESPACES, ...this.words(command)];
    return execFileSync('unshare', words, { env: this.environment(), encoding: 'utf8', timeout: 60_000 });
  }

  private words(command: readonly string[]): readonly string[] {
    const { root, config } = this.options;
    const user = config.User.includes(':') ? config.User : `${config.User}:${config.User}`;
    return ['sh', '-ec', ENTER, 'sh', root, user, config.WorkingDir, ...command];
  }

  private environment(): NodeJS.ProcessEnv {
    const own = this.options.config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2));
    return {
      ...(Object.fromEntries(own) as Record<string, string>),
      PATH: process.env.PATH,
      ...this.options.variables,
    };
  }
}

const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--propagation', 'private', '--'];
