import { A2AError } from '../model/errors.js';
import type { ProtocolVersion } from '../model/protocol-version.js';
import type { WireCall, WireCodec } from '../codec/codec.js';
import { codecOf, CODECS, SUPPORTED_VERSIONS } from './codecs.js';
import { isJsonObject, member } from '../json/json-value.js';
import { codecV1 } from '../v1_0/codec.js';
import { requestedVersion, versionNotSupported, type StatedVersion } from './version.js';

/** The facts of a JSON-RPC call that decide its dialect. */
export interface DialectClues extends StatedVersion {
  readonly call: WireCall;
  /** Strict: a 1.0 method without a version header is refused, as the spec has it. Lenient: it is 1.0 (DISP-08). */
  readonly strict: boolean;
}

/** The dialect of a call, or why there is none; `codec` then writes the error. */
export type Dialect =
  | { readonly kind: 'found'; readonly codec: WireCodec }
  /** 0.1, 0.2 and 0.3 share three names: the dialect in which the task was created decides. See `dialectOfTask`. */
  | { readonly kind: 'ask-task'; readonly taskId: string }
  | { readonly kind: 'refused'; readonly codec: WireCodec; readonly error: A2AError };

/** Which dialect a JSON-RPC call is in (DISP-01 … DISP-09, DISP-11): by the method's name, then by the stated version. */
export function dialectOf(clues: DialectClues): Dialect {
  const stated = requestedVersion(clues);
  if (stated === 'unknown') return refused(clues.call, versionNotSupported(SUPPORTED_VERSIONS));
  return stated === undefined ? byMethod(clues) : byVersion(clues, stated);
}

/**
 * The dialect of a call to one of the three shared names, by the dialect in which its task was created. The id may be
 * one that a 0.1 client made: that is 0.1. An unknown task, and one that a newer caller made, is answered in 0.3
 * (DISP-07).
 */
export function dialectOfTask(created: ProtocolVersion | undefined): WireCodec {
  const codec = created === undefined || created === '1.0' ? undefined : codecOf(created);
  return codec ?? olderCodec();
}

/** The stated version must have the method; 1.0's spelling is safe to recognise anyway unless strict (TRAP-14). */
function byVersion({ call, strict }: DialectClues, version: ProtocolVersion): Dialect {
  const codec = codecOf(version);
  if (codec === undefined) return refused(call, versionNotSupported(SUPPORTED_VERSIONS));
  if (speaks(codec, call)) return { kind: 'found', codec };
  if (!strict && speaks(codecV1, call)) return { kind: 'found', codec: codecV1 };
  return methodNotFound(call, version);
}

function byMethod({ call, strict }: DialectClues): Dialect {
  const [newest, ...others] = CODECS.filter((codec) => speaks(codec, call));
  if (newest === undefined) return methodNotFound(call);
  if (newest.version === '1.0') {
    return strict ? refused(call, versionNotSupported(SUPPORTED_VERSIONS)) : { kind: 'found', codec: newest };
  }
  const isShared = newest.version !== '0.1' && others.some(({ version }) => version === '0.1');
  const taskId = isJsonObject(call.params) ? member(call.params, 'id') : undefined;
  return isShared && typeof taskId === 'string' ? { kind: 'ask-task', taskId } : { kind: 'found', codec: newest };
}

function speaks(codec: WireCodec, { method, params }: WireCall): boolean {
  return codec.operationOf(method, params) !== undefined;
}

/** The refusal of a method that no version has, or another one than the call states: with the methods there are. */
function methodNotFound(call: WireCall, version?: ProtocolVersion): Dialect {
  const codec = answering(call, version);
  const methods = codec.methods.join(', ');
  const others = CODECS.filter((other) => speaks(other, call)).map((other) => other.version);
  const hint = others.length === 0 ? '' : `; ${call.method} is a method of ${others.join(' and ')}`;
  const error = new A2AError('MethodNotFound', `Method not found. A2A ${codec.version} has: ${methods}${hint}`, {
    metadata: { version: codec.version, methods },
  });
  return { kind: 'refused', codec, error };
}

function refused(call: WireCall, error: A2AError): Dialect {
  return { kind: 'refused', codec: answering(call), error };
}

/** An error is written in the version asked for; without one, methods of 1.0 are recognised by their capital. */
function answering({ method }: WireCall, version?: ProtocolVersion): WireCodec {
  const asked = version === undefined ? undefined : codecOf(version);
  return asked ?? (/^[A-Z]/.test(method) ? codecV1 : olderCodec());
}

/** The version assumed for callers that state none (DISP-01). */
function olderCodec(): WireCodec {
  return codecOf('0.3') ?? codecV1;
}
