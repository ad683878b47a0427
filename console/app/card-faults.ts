/** The parts of an agent card of A2A 1.0 that are shown or checked. All of it may be missing. */
export interface Card {
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly supportedInterfaces?: readonly {
    readonly url?: string;
    readonly protocolBinding?: string;
    readonly protocolVersion?: string;
  }[];
  readonly capabilities?: { readonly extensions?: readonly { readonly uri: string }[] };
  readonly defaultInputModes?: readonly string[];
  readonly defaultOutputModes?: readonly string[];
  readonly skills?: readonly CardSkill[];
  readonly signatures?: readonly unknown[];
}

export interface CardSkill {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly examples?: readonly string[];
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
}

/** A rule of A2A 1.0 that a card breaks. */
export interface CardFault {
  readonly field: string;
  readonly text: string;
}

const REQUIRED = [
  'name',
  'description',
  'version',
  'capabilities',
  'defaultInputModes',
  'defaultOutputModes',
  'skills',
] as const;
const REQUIRED_OF_SKILL = ['id', 'name', 'description', 'tags'] as const;
const REQUIRED_OF_INTERFACE = ['url', 'protocolBinding', 'protocolVersion'] as const;

/** What of a card is not as A2A 1.0 §4.4 asks. */
export function cardFaults(card: Card): readonly CardFault[] {
  const { supportedInterfaces = [], skills = [] } = card;
  const missing = (object: object, names: readonly string[], at: string): readonly CardFault[] =>
    names
      .filter((name) => isEmpty(Reflect.get(object, name)))
      .map((name) => ({ field: at + name, text: 'is required' }));
  const ids = skills.map(({ id }) => id);
  return [
    ...missing(card, REQUIRED, ''),
    ...(supportedInterfaces.length > 0 ? [] : [{ field: 'supportedInterfaces', text: 'names no interface' }]),
    ...supportedInterfaces.flatMap((one, at) => [
      ...missing(one, REQUIRED_OF_INTERFACE, `supportedInterfaces[${String(at)}].`),
      ...(one.url === undefined || isAddress(one)
        ? []
        : [{ field: `supportedInterfaces[${String(at)}].url`, text: 'is no absolute URL' }]),
    ]),
    ...skills.flatMap((skill, at) => [
      ...missing(skill, REQUIRED_OF_SKILL, `skills[${String(at)}].`),
      ...(skill.id !== undefined && ids.indexOf(skill.id) < at
        ? [{ field: `skills[${String(at)}].id`, text: 'is that of another skill' }]
        : []),
    ]),
  ];
}

/** gRPC has host and port. */
function isAddress({
  url = '',
  protocolBinding,
}: {
  readonly url?: string;
  readonly protocolBinding?: string;
}): boolean {
  return protocolBinding === 'GRPC' || /^https?:\/\//.test(url);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
