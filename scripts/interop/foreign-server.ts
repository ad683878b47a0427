import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { deadline } from './deadline.js';

/** A server that is up. */
export interface RunningServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A program that prints its address on a line of its own, and ends when its stdin does. */
export type ServerCommand = readonly [string, ...string[]];

const START_MS = 60_000;
const STOP_MS = 5_000;
const LOOK_MS = 100;

/** Starts a server, and resolves once it answers. Rejects with its own words. */
export async function startForeignServer([program, ...args]: ServerCommand): Promise<RunningServer> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let words = '';
  child.on('error', (error) => (words += error.message));
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-2_000)));
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.stdin.end();
    const killing = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(killing);
  };
  const named = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (/^http:\/\/127\.0\.0\.1:\d+$/.test(line)) resolve(line);
    });
  });
  const gone = ended.then(() => Promise.reject(new Error(`${program} has ended: ${words}`)));
  try {
    const url = await deadline(Promise.race([named, gone]), START_MS, `${program} did not name its address`);
    await deadline(Promise.race([answering(url), gone]), START_MS, `${program} did not answer`);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function answering(url: string): Promise<void> {
  for (;;) {
    const isUp = await fetch(`${url}/.well-known/agent-card.json`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
