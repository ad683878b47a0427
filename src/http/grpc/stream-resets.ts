import { constants, type Http2Server, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/** Streams that a connection may reset before they are answered: twice its maximum of open ones. */
const MAX_RESETS = 400;
/** Resets replenished per second. */
const RESETS_PER_SECOND = 40;

interface Allowance {
  left: number;
  /** ms */
  at: number;
}

type StreamListener = (stream: ServerHttp2Stream, ...rest: readonly unknown[]) => void;

/**
 * Bounds the cost of resets (CVE-2023-44487, "rapid reset"): a stream begins its call in the next turn of the event
 * loop, so a stream already reset by then makes no call; a connection that continues is closed with ENHANCE_YOUR_CALM.
 * @throws TypeError when grpc-js does not expose its HTTP/2 servers
 */
export function boundResets(server: Server): void {
  const { http2Servers } = server as unknown as { readonly http2Servers?: ReadonlyMap<Http2Server, unknown> };
  if (http2Servers === undefined) throw new TypeError('This version of grpc-js shows no HTTP/2 server below it');
  for (const below of http2Servers.keys()) boundResetsOf(below);
}

function boundResetsOf(server: Http2Server): void {
  const allowances = new WeakMap<Http2Session, Allowance>();
  const begin = server.listeners('stream') as StreamListener[];
  server.removeAllListeners('stream');
  server.on('stream', (stream: ServerHttp2Stream, ...rest: readonly unknown[]) => {
    const { session } = stream;
    stream.on('error', ignored).once('close', () => {
      const isReset = stream.rstCode !== constants.NGHTTP2_NO_ERROR && !stream.headersSent;
      if (!isReset || session === undefined || session.destroyed || hasAllowance(allowances, session)) return;
      session.destroy(new Error('Too many streams were reset'), constants.NGHTTP2_ENHANCE_YOUR_CALM);
    });
    setImmediate(() => {
      if (!stream.closed && !stream.destroyed) for (const listener of begin) listener(stream, ...rest);
    });
  });
}

function hasAllowance(allowances: WeakMap<Http2Session, Allowance>, session: Http2Session): boolean {
  const now = performance.now();
  const { left, at } = allowances.get(session) ?? { left: MAX_RESETS, at: now };
  const kept = Math.min(MAX_RESETS, left + ((now - at) / 1_000) * RESETS_PER_SECOND) - 1;
  allowances.set(session, { left: kept, at: now });
  return kept >= 0;
}

function ignored(): void {
  // A reset stream has no call to notify.
}
