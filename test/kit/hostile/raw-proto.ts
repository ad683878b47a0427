/** A field of a message of protobuf as it is on the wire. */
export interface RawField {
  readonly number: number;
  readonly wireType: number;
  /** All of it, its tag included. */
  readonly bytes: Uint8Array;
  /** The content of a length-delimited field. */
  readonly content?: Uint8Array;
}

export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Uint8Array.from([...bytes, left]);
}

/** A length-delimited field. */
export function delimited(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

/** The fields of a message; undefined where the bytes are none. */
export function fieldsOf(message: Uint8Array): readonly RawField[] | undefined {
  const fields: RawField[] = [];
  for (let at = 0; at < message.length;) {
    const begin = at;
    const read = (): number => {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = message[at] ?? 0;
        at += 1;
        value += (byte & 127) * scale;
        if (byte < 128 || at > message.length) return value;
      }
    };
    const tag = read();
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    let content: Uint8Array | undefined;
    if (wireType === 0) read();
    else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else if (wireType === 2) {
      const length = read();
      content = message.subarray(at, at + length);
      at += length;
    } else return undefined;
    if (number === 0 || at > message.length) return undefined;
    fields.push({
      number,
      wireType,
      bytes: message.subarray(begin, at),
      ...(content === undefined ? {} : { content }),
    });
  }
  return fields;
}

/** Fields in place of a field of this number: of every wire type, empty, cut off, deep, and twice. */
function others({ number, bytes, content = new Uint8Array() }: RawField): readonly Uint8Array[] {
  const deep = Array.from({ length: 120 }).reduce<Uint8Array>((inner) => delimited(number, inner), new Uint8Array());
  return [
    new Uint8Array(),
    Buffer.concat([varint(number * 8), varint(2 ** 40)]),
    Buffer.concat([varint(number * 8), Uint8Array.from([...Array.from({ length: 9 }, () => 255), 1])]),
    Buffer.concat([varint(number * 8 + 1), new Uint8Array(8).fill(255)]),
    Buffer.concat([varint(number * 8 + 5), new Uint8Array(4).fill(255)]),
    Buffer.concat([varint(number * 8 + 3), varint(number * 8 + 4)]),
    Buffer.concat([varint(number * 8 + 3)]),
    delimited(number, new Uint8Array()),
    delimited(number, Uint8Array.from([255, 254, 0])),
    delimited(number, Uint8Array.from([8])),
    delimited(number, Buffer.from('x'.repeat(20_000))),
    delimited(number, deep),
    Buffer.concat([varint(number * 8 + 2), varint(2 ** 31)]),
    delimited(number, delimited(number, content)),
    Buffer.concat([bytes, bytes]),
    Buffer.concat(Array.from({ length: 300 }, () => bytes)),
  ];
}

/** Every way to put other bytes in place of a field of a message, at every depth. */
export function rawChanges(message: Uint8Array): readonly Uint8Array[] {
  const fields = fieldsOf(message) ?? [];
  const around = (at: number, inner: Uint8Array): Uint8Array =>
    Buffer.concat(fields.map(({ bytes }, index) => (index === at ? inner : bytes)));
  return fields.flatMap((field, at) => [
    ...others(field).map((other) => around(at, other)),
    ...(field.content === undefined ? [] : rawChanges(field.content)).map((inner) =>
      around(at, delimited(field.number, inner)),
    ),
  ]);
}
