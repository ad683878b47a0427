import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

const ROOT = '/sys/fs/cgroup';
const MIB = 1_048_576;

/**
 * A control group that holds processes to an amount of memory, as a container is held. Needs root; the kernel ends a process
 * that takes more.
 */
export class MemoryGroup {
  private readonly isV1 = existsSync(`${ROOT}/memory`);
  private readonly folder: string;

  constructor(name: string, mib: number) {
    this.folder = `${ROOT}${this.isV1 ? '/memory' : ''}/${name}-${String(process.pid)}`;
    mkdirSync(this.folder);
    writeFileSync(this.file('memory.limit_in_bytes', 'memory.max'), String(mib * MIB));
  }

  /** A process that writes its id here joins the group. */
  get processes(): string {
    return `${this.folder}/cgroup.procs`;
  }

  /** The most that its processes have taken, in MiB. */
  get peak(): number {
    const file = this.file('memory.max_usage_in_bytes', 'memory.peak');
    return existsSync(file) ? Math.round(Number(readFileSync(file, 'utf8')) / MIB) : 0;
  }

  /** Processes that the kernel has ended. */
  get killed(): number {
    const text = readFileSync(this.file('memory.oom_control', 'memory.events'), 'utf8');
    return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  /** Once its processes have ended. */
  remove(): void {
    rmdirSync(this.folder);
  }

  private file(v1: string, v2: string): string {
    return `${this.folder}/${this.isV1 ? v1 : v2}`;
  }
}

/** Whether this machine and user can have one. */
export function hasMemoryGroups(): boolean {
  try {
    const group = new MemoryGroup('parley-probe', 64);
    group.remove();
    return true;
  } catch {
    return false;
  }
}
