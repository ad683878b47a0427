import type { ModulesContainer } from '@nestjs/core';
import type { OperationTable } from '../../operations/executor/operation-table.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { cardToV03 } from '@parley/protocol/card/card-v0-3.js';
import { describedPaths } from './described-routes.js';
import { protoSchemas } from './proto-schemas.js';
import { BODIES, CHECKED, restPaths } from './rest-paths.js';
import type { Feature } from '../binding/feature.js';

/** The sources of a document. */
export interface DocumentSources {
  readonly card: AgentCard;
  /** The URL of the service. */
  readonly url: string;
  readonly skills: readonly SkillOptions[];
  readonly table: OperationTable;
  readonly modules: ModulesContainer;
  readonly features: DescribedFeatures;
}

/** The features with their parts of the document. Type and injection token. */
export const DescribedFeatures = Symbol('DescribedFeatures');
export type DescribedFeatures = readonly Pick<Feature, 'openApi'>[];

/** The OpenAPI 3.1 document of this process's HTTP API: HTTP+JSON of A2A 1.0, intents, routes of operators. */
export function openApiDocument({ card, url, skills, table, modules, features }: DocumentSources): JsonObject {
  const parts = features.flatMap((feature) => feature.openApi?.(skills) ?? []);
  // Security in the cards of 0.3 has OpenAPI's format.
  const { securitySchemes, security } = cardToV03(card);
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      ...{ title: card.name, description: card.description, version: card.version },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: security ?? [],
    tags: [
      { name: 'A2A 1.0', description: 'The operations of the protocol on HTTP+JSON.' },
      { name: 'Intents', description: 'Skills that are called by their id.' },
      { name: 'Operation', description: 'Contracts, webhooks and receivers.' },
      {
        name: 'Registry',
        description: 'Agents that curators have approved: search after ARD 0.91, and its management.',
      },
      { name: 'Console', description: 'Tasks of a tenant, approvals and the platform, for operators and approvers.' },
    ],
    paths: { ...restPaths(table), ...merged(parts.map(({ paths }) => paths)), ...describedPaths(modules) },
    components: {
      schemas: { ...protoSchemas(CHECKED), ...BODIES, ...merged(parts.map(({ schemas }) => schemas)), Error: ERROR },
      ...(securitySchemes === undefined ? {} : { securitySchemes }),
    },
  };
}

function merged(all: readonly Readonly<Record<string, JsonObject>>[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(all.flatMap((one) => Object.entries(one)));
}

const ERROR: JsonObject = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'integer' },
        status: { type: 'string' },
        message: { type: 'string' },
        details: { type: 'array', items: { type: 'object', additionalProperties: true } },
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};
