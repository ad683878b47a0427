/**
 * Parts of 0.1 – 0.3: kinds by a discriminator and files nested, where 1.0 derives the kind from the member that is set. Their
 * data must be an object, and their text and data have no media type or file name: these travel in part metadata.
 */
import type { JsonObject } from '../model/json.js';
import type { DataPart, Part } from '../model/message.js';
import { toStandardBase64 } from '../json/standard-base64.js';
import { isJsonObject, member, nonEmpty, withoutUnset } from '../json/json-value.js';
import type { LegacyPart } from './types.js';

/** Part metadata of both reference SDKs: `data` is `{ value: x }` and represents the JSON value x. */
const DATA_COMPAT = 'data_part_compat';
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+*-]+/;

export function partToLegacy(part: Part): LegacyPart {
  // Stored before every part was checked (B3); empty data is the part that every reader of 0.1 – 0.3 takes.
  const stored: unknown = part;
  if (!isJsonObject(stored)) return { kind: 'data', data: {} };
  if ('text' in part) return { kind: 'text', text: part.text, metadata: describedMetadata(part) };
  if ('data' in part) return dataToLegacy(part);
  const { metadata, filename: name, mediaType: mimeType } = part;
  const content = 'raw' in part ? { bytes: part.raw } : { uri: part.url };
  return { kind: 'file', file: { ...content, name, mimeType }, metadata };
}

/** Reads a part with `kind` (0.2, 0.3), `type` (0.1, 0.2's examples: V02-02, D01-02) or no discriminator at all. */
export function partFromLegacy(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const metadata = member(value, 'metadata');
  switch (kindOf(value)) {
    case 'text':
      return withoutUnset({ text: member(value, 'text'), ...liftedMetadata(metadata) });
    case 'data':
      return dataFromLegacy(member(value, 'data'), metadata);
    case 'file':
      return withoutUnset({ ...fileFromLegacy(member(value, 'file')), metadata });
    default:
      return withoutUnset({ metadata });
  }
}

/** The content of a file part, in the spellings of 0.3, of 0.2's examples (`data`, V02-14) and of the 0.3 proto. */
function fileFromLegacy(file: unknown): JsonObject {
  if (!isJsonObject(file)) return {};
  const bytes = member(file, 'bytes', 'data', 'fileWithBytes', 'file_with_bytes');
  return {
    raw: typeof bytes === 'string' ? toStandardBase64(bytes) : bytes,
    url: member(file, 'uri', 'fileWithUri', 'file_with_uri'),
    filename: nonEmpty(file, 'name'),
    mediaType: nonEmpty(file, 'mimeType', 'mime_type'),
  };
}

/** A data part of 1.0 from older data: any JSON that was wrapped on the way out is unwrapped. */
function dataFromLegacy(data: unknown, metadata: unknown): unknown {
  if (
    !isJsonObject(metadata) ||
    metadata[DATA_COMPAT] !== true ||
    !isJsonObject(data) ||
    !Object.hasOwn(data, 'value')
  ) {
    return withoutUnset({ data, ...liftedMetadata(metadata) });
  }
  const { [DATA_COMPAT]: _wrapped, ...rest } = metadata;
  return withoutUnset({ data: data.value, ...liftedMetadata(Object.keys(rest).length > 0 ? rest : undefined) });
}

function dataToLegacy(part: DataPart): LegacyPart {
  const metadata = describedMetadata(part);
  if (isJsonObject(part.data)) return { kind: 'data', data: part.data, metadata };
  return { kind: 'data', data: { value: part.data }, metadata: { ...metadata, [DATA_COMPAT]: true } };
}

function kindOf(part: JsonObject): unknown {
  return member(part, 'kind', 'type') ?? ['text', 'file', 'data'].find((name) => member(part, name) !== undefined);
}

/** The metadata of a text or data part with its media type and file name in it; values of the author win. */
function describedMetadata({ metadata, mediaType, filename }: Part): JsonObject | undefined {
  if (mediaType === undefined && filename === undefined) return metadata;
  return { ...withoutUnset({ mediaType, filename }), ...metadata };
}

/** The reverse of `describedMetadata`. */
function liftedMetadata(metadata: unknown): JsonObject {
  if (!isJsonObject(metadata)) return { metadata };
  const { mediaType, filename } = metadata;
  const lifted = withoutUnset({
    mediaType: typeof mediaType === 'string' && MEDIA_TYPE.test(mediaType) ? mediaType : undefined,
    filename: typeof filename === 'string' ? filename : undefined,
  });
  const kept = Object.entries(metadata).filter(([name]) => !Object.hasOwn(lifted, name));
  const isEmptied = kept.length === 0 && Object.keys(lifted).length > 0;
  return { ...lifted, metadata: isEmptied ? undefined : Object.fromEntries(kept) };
}
