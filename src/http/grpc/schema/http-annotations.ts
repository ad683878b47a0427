import { create } from '@bufbuild/protobuf';
import {
  DescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  type MethodOptions,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** The number of the option `google.api.http` of methods. */
const HTTP = 72295728;
const VERBS = { GET: 2, POST: 4, DELETE: 5 } as const;
const BODY = 7;
const ADDITIONAL_BINDINGS = 11;

export const HTTP_ANNOTATIONS = 'google/api/annotations.proto';

/** The file of `google.api.http`, reduced to the part used by A2A. */
export const httpAnnotationsFile: FileDescriptorProto = create(FileDescriptorProtoSchema, {
  ...{ name: HTTP_ANNOTATIONS, package: 'google.api', syntax: 'proto3' },
  dependency: ['google/protobuf/descriptor.proto'],
  messageType: [
    create(DescriptorProtoSchema, {
      name: 'HttpRule',
      oneofDecl: [{ name: 'pattern' }],
      field: [
        ...Object.entries(VERBS).map(([verb, number]) => ({ ...textField(verb.toLowerCase(), number), oneofIndex: 0 })),
        textField('body', BODY),
        {
          ...{ name: 'additional_bindings', jsonName: 'additionalBindings', number: ADDITIONAL_BINDINGS },
          ...{ label: Label.REPEATED, type: Type.MESSAGE, typeName: '.google.api.HttpRule' },
        },
      ],
    }),
  ],
  extension: [
    {
      ...{ name: 'http', jsonName: 'http', number: HTTP, extendee: '.google.protobuf.MethodOptions' },
      ...{ label: Label.OPTIONAL, type: Type.MESSAGE, typeName: '.google.api.HttpRule' },
    },
  ],
});

function textField(name: string, number: number) {
  return { name, jsonName: name, number, label: Label.OPTIONAL, type: Type.STRING };
}

/** The options of a method with its HTTP call, written `POST /tasks/{id=*}:cancel *`, and further ones. */
export function httpOptions([first = '', ...others]: readonly string[]): MethodOptions {
  const rule = ruleOf(first);
  for (const other of others) rule.tag(ADDITIONAL_BINDINGS, WireType.LengthDelimited).bytes(ruleOf(other).finish());
  const data = new BinaryWriter().bytes(rule.finish()).finish();
  const options = create(MethodOptionsSchema);
  options.$unknown = [{ no: HTTP, wireType: WireType.LengthDelimited, data }];
  return options;
}

function ruleOf(text: string): BinaryWriter {
  const [verb = '', path = '', body = ''] = text.split(' ');
  const writer = new BinaryWriter();
  writer.tag(VERBS[verb as keyof typeof VERBS], WireType.LengthDelimited).string(path);
  if (body !== '') writer.tag(BODY, WireType.LengthDelimited).string(body);
  return writer;
}
