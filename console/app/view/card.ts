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
