import type { ProtocolVersion } from '../model/protocol-version.js';
import type { ClientCodec } from '../codec/client-codec.js';
import { clientCodecV01 } from '../v0_1/client-codec.js';
import { clientCodecV03 } from '../v0_3/client-codec.js';
import { clientCodecV1 } from '../v1_0/client-codec.js';

/** The versions that the client speaks, newest first. */
export const CLIENT_CODECS: readonly ClientCodec[] = [clientCodecV1, clientCodecV03, clientCodecV01];

/**
 * The next older version with other methods for sending: cards of 0.1 and early ones of 0.2 name no version, and are
 * called as 0.3 first.
 */
export function olderCodec({ version }: ClientCodec): ClientCodec | undefined {
  return version === '0.3' ? clientCodecV01 : undefined;
}

/** The codec of a card's `protocolVersion`: patch numbers do not count (A2A-VER-01). */
export function clientCodecOf(version: string): ClientCodec | undefined {
  const [major = '', minor = '0'] = version.trim().replace(/^v/, '').split('.');
  const wanted = `${major}.${minor}` as ProtocolVersion;
  return CLIENT_CODECS.find((codec) => codec.version === wanted);
}
