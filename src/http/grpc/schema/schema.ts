import './native-base64.js';
import {
  createFileRegistry,
  createRegistry,
  type DescFile,
  type DescMessage,
  type DescService,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import {
  file_google_protobuf_any,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import { A2A_V1 } from '@parley/protocol/proto/a2a-v1.js';
import type { ProtoFile } from '@parley/protocol/proto/proto-file.js';
import { A2A_V03 } from './a2a-v0-3.js';
import { GOOGLE_RPC } from './google-rpc.js';
import { fitted } from './fitted.js';
import { fileDescriptor } from './file-descriptor.js';
import { HTTP_ANNOTATIONS, httpAnnotationsFile } from './http-annotations.js';

const WELL_KNOWN_FILES = [
  file_google_protobuf_any,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
];

const rpcFile = load(GOOGLE_RPC);
/** The types of error details. */
const registry = createRegistry(rpcFile);
const v1File = load(A2A_V1);
const v03File = load(A2A_V03);

/** `lf.a2a.v1.A2AService`. */
export const SERVICE_V1 = serviceOf(v1File);
/** `a2a.v1.A2AService` of A2A 0.3. */
export const SERVICE_V03 = serviceOf(v03File);
/** `google.rpc.Status`. */
export const STATUS = messageOf(rpcFile, 'google.rpc.Status');

/** ProtoJSON of an encoded message. Throws for bytes that are not one. */
export function jsonOf(message: DescMessage, bytes: Uint8Array): JsonValue {
  return toJson(message, fromBinary(message, bytes), { registry });
}

/** The encoding of a message given as ProtoJSON; drops members without a field, or of a wrong type. */
export function bytesOf(message: DescMessage, json: JsonValue): Buffer {
  return Buffer.from(toBinary(message, read(message, json)));
}

function read(message: DescMessage, json: JsonValue): Message {
  const options = { registry, ignoreUnknownFields: true };
  try {
    return fromJson(message, json, options);
  } catch {
    return fromJson(message, fitted(message, json, registry), options);
  }
}

/**
 * The encoded descriptors of both services' files and of error details, after their dependencies, for the reflection
 * service.
 */
export function descriptorFiles(): readonly Buffer[] {
  const own = [rpcFile, v1File, v03File].map(({ proto }) => proto);
  const files: readonly FileDescriptorProto[] = [
    ...WELL_KNOWN_FILES.map(({ proto }) => proto),
    httpAnnotationsFile,
    ...own,
  ];
  return files.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file)));
}

function load(file: ProtoFile): DescFile {
  const descriptor = fileDescriptor(file);
  const files = createFileRegistry(descriptor, (name) =>
    name === HTTP_ANNOTATIONS ? httpAnnotationsFile : WELL_KNOWN_FILES.find(({ proto }) => proto.name === name),
  );
  const loaded = files.getFile(descriptor.name);
  if (loaded === undefined) throw new Error(`${descriptor.name} is no proto file`);
  return loaded;
}

function serviceOf({ services, proto }: DescFile): DescService {
  const [service] = services;
  if (service === undefined) throw new Error(`${proto.name} has no service`);
  return service;
}

function messageOf({ messages }: DescFile, typeName: string): DescMessage {
  const message = messages.find((it) => it.typeName === typeName);
  if (message === undefined) throw new Error(`There is no ${typeName}`);
  return message;
}
