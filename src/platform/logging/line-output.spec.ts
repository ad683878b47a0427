import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/kit/run/eventually.js';
import { LineOutput } from './line-output.js';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

/** A pipe that blocks neither its writer nor its reader. */
class Pipe {
  private readonly folder = mkdtempSync(join(tmpdir(), 'pipe-'));
  readonly reader: number;
  readonly writer: number;
  private isOpen = true;

  constructor() {
    const path = join(this.folder, 'pipe');
    execFileSync('mkfifo', [path]);
    this.reader = openSync(path, O_RDONLY | O_NONBLOCK);
    this.writer = openSync(path, O_WRONLY | O_NONBLOCK);
  }

  /** All of its present content. */
  read(): string {
    const bytes = Buffer.alloc(1024 * 1024);
    let text = '';
    try {
      for (let n = readSync(this.reader, bytes); n > 0; n = readSync(this.reader, bytes)) {
        text += bytes.toString('utf8', 0, n);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
    return text;
  }

  leave(): void {
    if (this.isOpen) closeSync(this.reader);
    this.isOpen = false;
  }

  close(): void {
    this.leave();
    closeSync(this.writer);
    rmSync(this.folder, { recursive: true });
  }
}

/** With many processes the kernel gives a new pipe a single page, which takes many turns. */
function drained(check: () => void): Promise<void> {
  return eventually(check, { timeoutMs: 25_000 });
}

/** A line of 1,000 bytes. */
function aLine(n: number): string {
  return `${String(n).padStart(6, '0')}${'x'.repeat(993)}\n`;
}

let pipe: Pipe;
let output: LineOutput;

beforeEach(() => {
  pipe = new Pipe();
  output = new LineOutput(pipe.writer);
});

afterEach(() => {
  pipe.close();
});

describe(LineOutput.name, () => {
  it('keeps lines for a slow reader, whole and in order', async () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => aLine(n));
    for (const line of lines) output.write(line);
    let text = '';
    await drained(() => {
      text += pipe.read();
      expect(text.length).toBe(1_000_000);
    });
    expect(text).toBe(lines.join(''));
  });

  it('drops log lines beyond its bound, and logs their number when it is read again', async () => {
    for (let n = 0; n < 6_000; n += 1) output.write(aLine(n));
    let text = '';
    await drained(() => {
      text += pipe.read();
      expect(text).toContain('log.dropped');
    });
    const lines = text.trimEnd().split('\n');
    const { lines: dropped } = JSON.parse(lines.at(-1) ?? '') as { lines: number };
    expect(dropped).toBeGreaterThan(1_500);
    expect(lines.length - 1 + dropped).toBe(6_000);
  });

  it('writes nothing more, and waits for nothing, when its reader has gone', () => {
    pipe.leave();
    output.write('lost\n');
    output.writeNow('lost too\n');
    expect(() => output.write('and this\n')).not.toThrow();
  });

  it('refuses mandatory lines while its reader has stopped, and accepts them when it reads again', async () => {
    for (let n = 0; n < 200; n += 1) output.write(aLine(n));
    const first = performance.now();
    expect(() => output.writeNow('first\n')).toThrow('has stopped');
    const again = performance.now();
    expect(() => output.writeNow('second\n')).toThrow('has stopped');
    expect(performance.now() - again).toBeLessThan((again - first) / 2);
    let text = '';
    await drained(() => {
      text += pipe.read();
      expect(text.length).toBe(200_000);
    });
    output.writeNow('third\n');
    expect(text + pipe.read()).toBe(`${Array.from({ length: 200 }, (_, n) => aLine(n)).join('')}third\n`);
  });

  it('fails mandatory lines on a full disk, keeps none of them, and drops log lines', () => {
    const disk = openSync('/dev/full', O_WRONLY);
    try {
      const full = new LineOutput(disk);
      expect(() => full.writeNow('first\n')).toThrow('ENOSPC');
      expect(() => full.write('a line of the log\n')).not.toThrow();
      expect(() => full.writeNow('second\n')).toThrow('ENOSPC');
      expect(full).toMatchObject({ waiting: [], waitingBytes: 0 });
    } finally {
      closeSync(disk);
    }
  });
});
