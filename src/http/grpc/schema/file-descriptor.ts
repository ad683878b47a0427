import { create } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import { HTTP_ANNOTATIONS, httpOptions } from './http-annotations.js';
import {
  camelCase,
  parseField,
  type ProtoField,
  type ProtoFields,
  type ProtoFile,
} from '@parley/protocol/proto/proto-file.js';

const SCALARS: Readonly<Record<string, Type>> = {
  string: Type.STRING,
  bytes: Type.BYTES,
  bool: Type.BOOL,
  int32: Type.INT32,
};

/** The google.protobuf files of the types without a package. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  Any: 'any',
  Duration: 'duration',
  Empty: 'empty',
  Struct: 'struct',
  Timestamp: 'timestamp',
  Value: 'struct',
};

/** The descriptor of a file, as protoc would generate it. Throws for a field in another notation. */
export function fileDescriptor(file: ProtoFile): FileDescriptorProto {
  const types = Object.values(file.messages).flatMap((fields) =>
    Object.values(fields).map((field) => parseField(field).type),
  );
  const used = [
    ...types,
    ...Object.values(file.service?.methods ?? {}).flatMap(([request, response]) => [request, response]),
  ];
  const dependencies = used.flatMap((type) => WELL_KNOWN[type] ?? []);
  return create(FileDescriptorProtoSchema, {
    name: `${file.package.replaceAll('.', '/')}.proto`,
    package: file.package,
    syntax: 'proto3',
    dependency: [
      ...[...new Set(dependencies)].map((name) => `google/protobuf/${name}.proto`),
      ...(file.service === undefined ? [] : [HTTP_ANNOTATIONS]),
    ],
    enumType: Object.entries(file.enums ?? {}).map(([name, names]) => ({
      name,
      value: names.map((value, number) => ({ name: value, number })),
    })),
    messageType: Object.entries(file.messages).map(([name, fields]) => message(file, name, fields)),
    service: file.service === undefined ? [] : [service(file, file.service)],
  });
}

function service(file: ProtoFile, { name, methods, prefixes = [''] }: NonNullable<ProtoFile['service']>): object {
  const method = Object.entries(methods).map(([rpc, [request, response, http]]) => ({
    name: rpc,
    inputType: typeName(file, request),
    outputType: typeName(file, response.replace(/^stream /, '')),
    serverStreaming: response.startsWith('stream '),
    options: httpOptions(prefixes.map((prefix) => http.replace('/', `${prefix}/`))),
  }));
  return { name, method };
}

function message(file: ProtoFile, name: string, fields: ProtoFields): DescriptorProto {
  const parsed = Object.entries(fields).map(([fieldName, text]) => ({ name: fieldName, ...parseField(text) }));
  const named = [...new Set(parsed.flatMap(({ oneof }) => oneof ?? []))];
  // Explicit presence is a oneof of one member; those come after the declared ones.
  const oneofs = [...named, ...parsed.filter((it) => it.optional).map((it) => `_${it.name}`)];
  return create(DescriptorProtoSchema, {
    name,
    field: parsed.map((it) => field(file, { ...it, message: name, oneofs })),
    oneofDecl: oneofs.map((oneof) => ({ name: oneof })),
    nestedType: parsed.filter((it) => it.isMap).map((it) => mapEntry(file, it)),
  });
}

interface PlacedField extends ProtoField {
  readonly name: string;
  readonly message: string;
  readonly oneofs: readonly string[];
}

function field(file: ProtoFile, it: PlacedField): FieldDescriptorProto {
  const { name, number, jsonName } = it;
  const oneof = it.optional ? `_${name}` : it.oneof;
  const entry = { type: Type.MESSAGE, typeName: `.${file.package}.${it.message}.${entryName(name)}` };
  return create(FieldDescriptorProtoSchema, {
    ...{ name, number, jsonName: jsonName ?? camelCase(name), proto3Optional: it.optional },
    label: it.isMap || it.repeated ? Label.REPEATED : Label.OPTIONAL,
    ...(it.isMap ? entry : typeOf(file, it.type)),
    ...(oneof === undefined ? {} : { oneofIndex: it.oneofs.indexOf(oneof) }),
  });
}

function mapEntry(file: ProtoFile, it: { readonly name: string; readonly type: string }): DescriptorProto {
  const plain = {
    isMap: false,
    repeated: false,
    optional: false,
    required: false,
    oneof: undefined,
    jsonName: undefined,
  };
  const place = { message: it.name, oneofs: [] };
  return create(DescriptorProtoSchema, {
    name: entryName(it.name),
    field: [
      field(file, { name: 'key', number: 1, type: 'string', ...plain, ...place }),
      field(file, { name: 'value', number: 2, type: it.type, ...plain, ...place }),
    ],
    options: { mapEntry: true },
  });
}

function typeOf(file: ProtoFile, type: string): { type: Type; typeName?: string } {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return { type: scalar };
  const isEnum = file.enums !== undefined && Object.hasOwn(file.enums, type);
  return { type: isEnum ? Type.ENUM : Type.MESSAGE, typeName: typeName(file, type) };
}

function typeName(file: ProtoFile, type: string): string {
  return WELL_KNOWN[type] === undefined ? `.${file.package}.${type}` : `.google.protobuf.${type}`;
}

function entryName(field: string): string {
  const camel = camelCase(field);
  return `${camel.charAt(0).toUpperCase()}${camel.slice(1)}Entry`;
}
