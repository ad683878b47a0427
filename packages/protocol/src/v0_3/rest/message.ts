/**
 * Messages of the 0.3 HTTP+JSON binding. Two readings of the spec exist: its text shows the JSON-RPC objects (`kind`,
 * `parts`), all SDKs send ProtoJSON (`content`, nested data). Both are read, the second is written.
 */
import type { Message, Part } from '../../model/message.js';
import type { JsonObject } from '../../model/json.js';
import { isJsonObject, member } from '../../json/json-value.js';
import { messageFromV03 } from '../translate/message.js';
import { partFromLegacy, partToLegacy } from '../../legacy/part.js';
import { contentFromProto, contentToProto, type FileForm } from './file-form.js';
import type { ProtoMessage, ProtoPart } from './types.js';

export function messageToProto(
  { parts, referenceTaskIds: _noPlace, ...message }: Message,
  files: FileForm,
): ProtoMessage {
  return { ...message, content: parts.map((part) => partToProto(part, files)) };
}

export function partToProto(part: Part, files: FileForm): ProtoPart {
  const translated = partToLegacy(part);
  const { metadata } = translated;
  switch (translated.kind) {
    case 'text':
      return { text: translated.text, metadata };
    case 'data':
      return { data: { data: translated.data }, metadata };
    case 'file': {
      const { bytes, uri: fileWithUri, name, mimeType } = translated.file;
      const fileWithBytes = contentToProto(bytes, files);
      return { file: { fileWithBytes, fileWithUri, name, mimeType }, metadata };
    }
  }
}

export function messageFromRest(value: unknown, files: FileForm): unknown {
  return messageFromV03(value, (part) =>
    partFromLegacy(isJsonObject(part) ? withFileContent(withoutNestedData(part), files) : part),
  );
}

/** The content of a file in the member that JSON-RPC has for it, which holds base64 for every caller. */
function withFileContent(part: JsonObject, files: FileForm): JsonObject {
  const { file } = part;
  if (!isJsonObject(file)) return part;
  const value = member(file, 'fileWithBytes', 'file_with_bytes');
  if (typeof value !== 'string') return part;
  return { ...part, file: { ...file, bytes: contentFromProto(value, member(file, 'mimeType', 'mime_type'), files) } };
}

/** `{ data: { data: {…} } }` of the proto, distinguished by the missing `kind` from data that merely has a member of that name. */
function withoutNestedData(part: JsonObject): JsonObject {
  const { data } = part;
  if (member(part, 'kind', 'type') !== undefined || !isJsonObject(data) || !isJsonObject(data.data)) return part;
  return { ...part, data: data.data };
}
