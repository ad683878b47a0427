import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const STEP_MS = 1_800_000;

export interface CommandOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string;
}

/**
 * Runs a program to its end, while the event loop goes on.
 * @returns its output, without the last line break
 * @throws with what it wrote to stderr, when it fails
 */
export async function command(
  program: string,
  words: readonly string[],
  { input = '', ...options }: CommandOptions = {},
): Promise<string> {
  const child = spawn(program, words, { ...options, stdio: ['pipe', 'pipe', 'pipe'], timeout: STEP_MS });
  const ended = new Promise<string>((resolve, reject) => {
    child.on('error', reject).on('close', (code, signal) => {
      resolve(String(code ?? signal));
    });
  });
  // A program that ends early closes its input.
  child.stdin.on('error', () => undefined).end(input);
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (status === '0') return output.trim();
  throw new Error(
    `${program} ${words.slice(0, 3).join(' ')} … ended with ${status}: ${errors.trim() || output.trim()}`,
  );
}
