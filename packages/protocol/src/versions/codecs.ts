import type { ProtocolVersion } from '../model/protocol-version.js';
import type { WireCodec } from '../codec/codec.js';
import { codecV01 } from '../v0_1/codec.js';
import { codecV02, codecV03 } from '../v0_3/codec.js';
import { codecV1 } from '../v1_0/codec.js';

/** The versions that are served, newest first. Taking a row out stops serving that version. */
export const CODECS: readonly WireCodec[] = [codecV1, codecV03, codecV02, codecV01];

/** The versions of `CODECS`, as errors list them. */
export const SUPPORTED_VERSIONS: readonly ProtocolVersion[] = CODECS.map(({ version }) => version);

export function codecOf(version: ProtocolVersion): WireCodec | undefined {
  return CODECS.find((codec) => codec.version === version);
}
