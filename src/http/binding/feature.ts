import type { DynamicModule } from '@nestjs/common';
import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { onRequestHookHandler } from 'fastify';
import type { ListedResource } from '../../agents/card/ard/ard-documents.js';
import type { ListedAddress } from '../../platform/address/listed-address.js';
import type { SettingsClass } from '../../platform/config/settings/setting.js';
import type { AuthOptions } from '../../auth/auth-options.js';
import type { ResourceOptions } from '../../auth/protected-resource.js';
import type { OwnershipPolicy } from '../../auth/principal.js';
import type { AllowEntry } from '../../outbound/allow-list.js';
import type { KeyRing } from '../../secrets/key-ring.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { HeadFaults } from '../errors.js';

/** The settings of a feature, and those of the service that features may need. */
export interface FeatureStart<S extends object = object> {
  readonly settings: S;
  readonly version: string;
  readonly host: string;
  /** Public URL of the service: as configured, else the listen address. */
  readonly publicUrl: string;
  /** All public addresses; none where none are configured. */
  readonly addresses: readonly ListedAddress[];
  readonly keyPrefix: string;
  /** Retention of ended tasks, in milliseconds. */
  readonly keepMs: number;
  /** The owner of tasks within a tenant. */
  readonly ownership: OwnershipPolicy;
  /** The keys that all processes share; undefined where none are set. */
  readonly keys: () => KeyRing | undefined;
  readonly auth: () => AuthOptions;
  /** Internal addresses that the service may call. */
  readonly allow: () => readonly AllowEntry[];
  /** The names of the enabled features. */
  readonly features: () => readonly string[];
}

/** The tasks of a process, by its role. */
export interface ProcessTasks {
  /** Runs skills. */
  readonly runs: boolean;
  /** Sweeps, and delivers webhooks. */
  readonly dispatches: boolean;
  /** Registers, reads or delivers webhooks. */
  readonly webhooks: boolean;
}

/** The parts of a process for a feature's module. */
export interface FeatureParts<G extends object = object> extends ProcessTasks {
  /** The dependencies of every binding (`BindingModule`): guard, runner, operations. Undefined without callers. */
  readonly binding: DynamicModule | undefined;
  /** Calls to the agents of AGENTS_FILE; undefined without any. */
  readonly remote: DynamicModule | undefined;
  /** The modules of all features with routes of the console's API. @param base dependencies of such a route */
  readonly consoleApi: (base: DynamicModule) => readonly DynamicModule[];
  /** Options from an embedding program for this feature. */
  readonly given: G | undefined;
}

/** The part of a feature in `/openapi.json`. */
export interface OpenApiPart {
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

/**
 * An optional part of the service: the only interface to the rest. Everything else is in its folder, and the list of
 * features is the only other file that names it.
 */
export interface Feature<S extends object = object, G extends object = object> {
  /** Name of the feature, and of its section in parley.yaml. */
  readonly name: string;
  /** The title of its settings in the docs. */
  readonly title?: string;
  readonly settings?: SettingsClass<S>;
  /** Whether the settings enable it. Default: always. */
  isOn?(start: FeatureStart<S>): boolean;
  /**
   * The module with its routes, metrics, probes, processors and timers for this process; undefined for a role that has
   * none of them.
   */
  module?(start: FeatureStart<S>, parts: FeatureParts<G>): DynamicModule | undefined;
  /** The module with its routes of the console's API. @param base dependencies of such a route (`ConsoleApiModule`) */
  consoleApi?(start: FeatureStart<S>, base: DynamicModule, parts: FeatureParts<G>): DynamicModule | undefined;
  /** The scopes that its routes require, with their descriptions for callers. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** The path of its routes, if callers need one of its scopes for any of them. */
  readonly basePath?: string;
  /** The answers to requests that are refused unread. */
  readonly faults?: HeadFaults;
  /** Its entry in the agent card. @param base URL of the service, without a trailing slash */
  readonly card?: (skills: readonly SkillOptions[], base: string) => AgentExtension | undefined;
  readonly openApi?: (skills: readonly SkillOptions[]) => OpenApiPart;
  /** Its entry in the documents for crawlers. */
  listed?(start: FeatureStart<S>): ListedResource | undefined;
  /** Whether a path is one of its pages for everybody, which are read without a credential. */
  readonly isPage?: (path: string) => boolean;
  /** The path of its page for people, shown at the start. */
  page?(start: FeatureStart<S>): string | undefined;
  /** A Fastify hook that sees requests before their callers are authenticated. */
  onRequest?(start: FeatureStart<S>): onRequestHookHandler | undefined;
  /** Its path as a protected resource of its own (RFC 9728). */
  resource?(start: FeatureStart<S>): ResourceOptions | undefined;
}

type Named<N extends string, E> = E & { readonly name: N };
type WithSettings<E, S extends object> = E & { readonly settings: SettingsClass<S>; readonly title: string };

/** Declares a feature: the only call that registers its routes, settings, metrics, probes, card entry and faults. */
export function defineFeature<const N extends string, S extends object, G extends object = object>(
  feature: Named<N, WithSettings<Feature<S, G>, S>>,
): Named<N, WithSettings<Feature<S, G>, S>>;
export function defineFeature<const N extends string>(feature: Named<N, Feature>): Named<N, Feature>;
export function defineFeature(feature: Feature): Feature {
  return feature;
}

/** The settings classes of features, by their sections. */
export type SectionsOf<L extends readonly Feature[]> = {
  readonly [E in L[number] as E extends { readonly settings: SettingsClass } ? E['name'] : never]: E extends {
    readonly settings: infer C;
  }
    ? C
    : never;
};

export function sectionsOf<L extends readonly Feature[]>(features: L): SectionsOf<L> {
  const sections = features.flatMap(({ name, settings }) =>
    settings === undefined ? [] : [[name, settings] as const],
  );
  return Object.fromEntries(sections) as SectionsOf<L>;
}

/** A feature that the settings enable, with its start options. */
export interface EnabledFeature {
  readonly feature: Feature;
  readonly start: FeatureStart;
}

/** The modules of features for one process. @param given options from an embedding program, by feature */
export function featureModules(
  features: readonly EnabledFeature[],
  process: Omit<FeatureParts, 'consoleApi' | 'given'>,
  given: Readonly<Record<string, object>> = {},
): readonly DynamicModule[] {
  const partsOf = ({ feature }: EnabledFeature): FeatureParts => ({
    ...process,
    given: given[feature.name],
    consoleApi: (base) => features.flatMap((one) => one.feature.consoleApi?.(one.start, base, partsOf(one)) ?? []),
  });
  return features.flatMap((one) => one.feature.module?.(one.start, partsOf(one)) ?? []);
}
