import { A2AError } from '../model/errors.js';
import type { ProtocolVersion } from '../model/protocol-version.js';

/** The two sources of a caller's version. Both may be missing. */
export interface StatedVersion {
  /** The `A2A-Version` header, or gRPC metadata of that name. */
  readonly header?: string | undefined;
  /** The query parameter of the same name (DISP-04). */
  readonly query?: string | undefined;
}

/** The requested version: a served one, an unsupported one, or none. */
export type RequestedVersion = ProtocolVersion | 'unknown' | undefined;

/** Reads the stated version: header before query (DISP-04), empty as absent (DISP-01), patch numbers ignored (DISP-02). */
export function requestedVersion({ header, query }: StatedVersion): RequestedVersion {
  // The most frequent value.
  if (header === '1.0') return header;
  const text = nonEmpty(header) ?? nonEmpty(query);
  if (text === undefined) return undefined;
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})(?:\.\d{1,9})*$/.exec(text) ?? [];
  return major === undefined || minor === undefined ? 'unknown' : versionOf(Number(major), Number(minor));
}

/** Everything in [0.3, 1.0) is 0.3; of 1.x only the minor that the card declares (DISP-11). */
function versionOf(major: number, minor: number): ProtocolVersion | 'unknown' {
  if (major === 1) return minor === 0 ? '1.0' : 'unknown';
  if (major !== 0 || minor === 0) return 'unknown';
  if (minor >= 3) return '0.3';
  return minor === 2 ? '0.2' : '0.1';
}

/** The refusal of a version, with those that would have been served (DISP-03, A2A-ERR-08). */
export function versionNotSupported(supported: readonly ProtocolVersion[]): A2AError {
  const versions = supported.join(', ');
  return new A2AError('VersionNotSupported', `This A2A version is not supported here. Supported: ${versions}`, {
    metadata: { supportedVersions: versions },
  });
}

function nonEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
