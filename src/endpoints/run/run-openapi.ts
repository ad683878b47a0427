import type { JsonObject } from '@parley/protocol/model/json.js';
import { intentsOf } from '../../operations/intents/intents.js';
import { formOf } from '@parley/sdk/skill/contract/rules/combined-schema.js';
import { skillSchemaOf } from '@parley/sdk/skill/contract/skill-schema.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { OpenApiPart } from '../../http/binding/feature.js';
import { RUN_PATH } from './run-faults.js';
import { inDocument, jsonContent, jsonResponse, refTo, refusals, type Schema } from '../../http/openapi/schema.js';

/** `POST /run` with a schema per intent; empty without intents. */
export function runOpenApi(skills: readonly SkillOptions[]): OpenApiPart {
  const ids = intentsOf(skills).map(({ id }) => id);
  const intents = skills.filter(({ id }) => ids.includes(id));
  if (intents.length === 0) return { paths: {}, schemas: {} };
  return {
    paths: { [RUN_PATH]: { post: operation(intents) } },
    schemas: {
      ...Object.fromEntries(intents.map((skill) => [`Run_${skill.id}`, runSchema(skill)])),
      RunTask: {
        type: 'object',
        properties: { taskId: { type: 'string' }, status: refTo('TaskState') },
        required: ['taskId', 'status'],
      },
      RunError: RUN_ERROR,
    },
  };
}

function operation(intents: readonly SkillOptions[]): JsonObject {
  const names = intents.map(({ id }) => `Run_${id}`);
  const mapping = Object.fromEntries(intents.map(({ id }) => [id, `#/components/schemas/Run_${id}`]));
  const request = { oneOf: names.map(refTo), discriminator: { propertyName: 'intent', mapping } };
  const results = intents.flatMap(({ output }) => (output === undefined ? [] : [output]));
  const isTyped = results.length === intents.length;
  return {
    operationId: 'run',
    summary: 'Runs an intent: a skill with typed inputs',
    tags: ['Intents'],
    requestBody: { required: true, content: jsonContent(request) },
    responses: {
      200: jsonResponse('The result.', isTyped ? { anyOf: intents.map(outputOf) } : { type: 'object' }),
      202: jsonResponse('The task goes on; `Location` has its address.', refTo('RunTask')),
      409: jsonResponse('The task asks a question, or the `request_id` was used for another call.', refTo('RunError')),
      ...refusals(refTo('RunError')),
    },
  };
}

function runSchema(skill: SkillOptions): Schema {
  const { input = { type: 'object' } } = skillSchemaOf(skill);
  const hasRequired = Array.isArray(input.required) && input.required.length > 0;
  return {
    type: 'object',
    description: skill.description,
    properties: {
      intent: { type: 'string', const: skill.id },
      inputs: inDocument(formOf(input)),
      memory: { type: 'object', description: 'Values that the skill is lent, by key.' },
      context: CONTEXT,
    },
    required: ['intent', ...(hasRequired ? ['inputs'] : [])],
    additionalProperties: false,
  };
}

function outputOf(skill: SkillOptions): Schema {
  return inDocument(skillSchemaOf(skill).output ?? { type: 'object' });
}

const TEXT = { type: 'string', minLength: 1, maxLength: 256 };

const CONTEXT: Schema = {
  type: 'object',
  properties: {
    ...{ caller: TEXT, request_id: TEXT, trace_id: TEXT, user_id: TEXT, nonce: TEXT },
    timestamp: { type: 'string', format: 'date-time' },
    permissions: { type: 'array', items: TEXT, maxItems: 100 },
    memory: { type: 'object' },
    debug_mode: { type: 'boolean' },
  },
  additionalProperties: false,
};

const VIOLATION = { type: 'object', properties: { field: { type: 'string' }, description: { type: 'string' } } };

const RUN_ERROR: Schema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        data: {
          type: 'object',
          properties: {
            retryable: { type: 'boolean' },
            retryAfterMs: { type: 'integer' },
            ...Object.fromEntries(
              ['reference', 'taskId', 'contextId', 'status', 'reason'].map((name) => [name, { type: 'string' }]),
            ),
            question: { type: 'array', items: refTo('Part') },
            violations: { type: 'array', items: VIOLATION },
          },
          required: ['retryable', 'reason'],
        },
      },
      required: ['code', 'message', 'data'],
    },
  },
  required: ['error'],
};
