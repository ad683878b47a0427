import { A2AError } from '../protocol/errors.js';
import type { WireCodec } from '../wire/codec.js';
import { codecV1 } from '../wire/v1_0/codec.js';

/** The codec for a call by its `A2A-Version`. Throws VersionNotSupported with what is supported (A2A-ERR-08, DISP-02). */
export function codecFor(version: string | undefined): WireCodec {
  const asked = version?.trim() ?? '';
  if (asked === '' || /^1\.0(\.\d+)?$/.test(asked)) return codecV1;
  throw new A2AError('VersionNotSupported', `Version ${asked} is not supported`, {
    metadata: { supportedVersions: '1.0' },
  });
}
