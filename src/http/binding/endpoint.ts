import type { DynamicModule } from '@nestjs/common';
import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { onRequestHookHandler } from 'fastify';
import type { SettingsClass } from '../../platform/config/settings/setting.js';
import type { DoorOptions } from '../../auth/door.js';
import type { KeyRing } from '../../secrets/key-ring.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { HeadFaults } from '../errors.js';

/** The settings of an endpoint, and those of the service that endpoints may need. */
export interface EndpointStart<S extends object = object> {
  readonly settings: S;
  readonly version: string;
  readonly host: string;
  /** Public URL of the service: as configured, else the listen address. */
  readonly publicUrl: string;
  readonly isUrlStated: boolean;
  /** Retention of ended tasks, in milliseconds. */
  readonly keepMs: number;
  /** The keys that all processes share; undefined where none are set. */
  readonly keys: () => KeyRing | undefined;
}

/** The parts for an endpoint's module. */
export interface EndpointParts<G extends object = object> {
  /** The dependencies of every binding (`BindingModule`): guard, runner, operations. */
  readonly binding: DynamicModule;
  /** Options from an embedding program for this endpoint. */
  readonly given: G | undefined;
}

/** The part of an endpoint in `/openapi.json`. */
export interface OpenApiPart {
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

/**
 * An optional endpoint of the service: the only interface to the rest. Everything else is in its folder, and the list
 * of endpoints is the only other file that names it.
 */
export interface Endpoint<S extends object = object, G extends object = object> {
  /** Name of the endpoint, and of its section in parley.yaml. */
  readonly name: string;
  /** The title of its settings in the docs. */
  readonly title?: string;
  readonly settings?: SettingsClass<S>;
  /** The module with its routes, metrics and probes; undefined when settings disable it. */
  module(start: EndpointStart<S>, parts: EndpointParts<G>): DynamicModule | undefined;
  /** The answers to requests that are refused unread. */
  readonly faults: HeadFaults;
  /** Its entry in the agent card. @param base URL of the service, without a trailing slash */
  readonly card?: (skills: readonly SkillOptions[], base: string) => AgentExtension | undefined;
  readonly openApi?: (skills: readonly SkillOptions[]) => OpenApiPart;
  /** A Fastify hook that refuses requests before their callers are authenticated. */
  onRequest?(start: EndpointStart<S>): onRequestHookHandler | undefined;
  /** The endpoint as a protected resource of its own (RFC 9728). */
  resource?(start: EndpointStart<S>): DoorOptions | undefined;
}

type Named<N extends string, E> = E & { readonly name: N };
type WithSettings<E, S extends object> = E & { readonly settings: SettingsClass<S>; readonly title: string };

/** Declares an endpoint: the only call that registers its routes, settings, metrics, probes, card entry and faults. */
export function defineEndpoint<const N extends string, S extends object, G extends object = object>(
  endpoint: Named<N, WithSettings<Endpoint<S, G>, S>>,
): Named<N, WithSettings<Endpoint<S, G>, S>>;
export function defineEndpoint<const N extends string>(endpoint: Named<N, Endpoint>): Named<N, Endpoint>;
export function defineEndpoint(endpoint: Endpoint): Endpoint {
  return endpoint;
}

/** The settings classes of endpoints, by their sections. */
export type SectionsOf<L extends readonly Endpoint[]> = {
  readonly [E in L[number] as E extends { readonly settings: SettingsClass } ? E['name'] : never]: E extends {
    readonly settings: infer C;
  }
    ? C
    : never;
};

export function sectionsOf<L extends readonly Endpoint[]>(endpoints: L): SectionsOf<L> {
  const sections = endpoints.flatMap(({ name, settings }) =>
    settings === undefined ? [] : [[name, settings] as const],
  );
  return Object.fromEntries(sections) as SectionsOf<L>;
}
