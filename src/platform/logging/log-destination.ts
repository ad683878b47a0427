import type { DestinationStream } from 'pino';
import pretty from 'pino-pretty';
import { standardOutput } from './line-output.js';
import { readableLine } from './readable-line.js';

/** Writes log lines to standard output: JSON, or short readable lines on a terminal. */
export function logDestination(): DestinationStream {
  return process.stdout.isTTY ? readableDestination(1) : standardOutput();
}

/** Turns JSON lines into readable ones. @param destination a file descriptor or a stream */
export function readableDestination(destination: number | NodeJS.WritableStream): DestinationStream {
  return pretty({
    destination,
    sync: true,
    colorize: destination === 1,
    hideObject: true,
    translateTime: 'SYS:HH:MM:ss',
    // Without a known key, pino-pretty would not render the text.
    messageKey: 'event',
    messageFormat: (record) => readableLine(record),
  });
}
