import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { ModulesContainer } from '@nestjs/core';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { jsonSchemaOf } from '@parley/sdk/skill/contract/json-schema.js';
import { formOf } from '@parley/sdk/skill/contract/rules/combined-schema.js';
import type { DtoClass } from '@parley/sdk/skill/skill.js';
import { AnswerType, Summary } from '../params/summary.js';
import { ValidBody, ValidQuery } from '../params/valid.pipes.js';
import { inDocument, jsonContent, jsonResponse, refTo, refusals } from './schema.js';

/** Nest's numbers of the arguments of a handler: `RouteParamtypes`. */
const BODY = 3;
const QUERY = 4;

/** The routes of all controllers with a `@Summary`, as registered by Nest. */
export function describedPaths(modules: ModulesContainer): Readonly<Record<string, JsonObject>> {
  const paths: Record<string, JsonObject> = {};
  for (const { controllers } of modules.values()) {
    for (const { metatype } of controllers.values()) {
      for (const { path, method, operation } of routesOf(metatype as Type)) {
        paths[path] = { ...paths[path], [method]: operation };
      }
    }
  }
  return paths;
}

interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonObject;
}

function routesOf(controller: Type): readonly Described[] {
  const prefix = String(Reflect.getMetadata(PATH_METADATA, controller) ?? '');
  const prototype = controller.prototype as Readonly<Record<string, unknown>>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = name === 'constructor' ? undefined : prototype[name];
    if (typeof handler !== 'function') return [];
    const summary: unknown = Reflect.getMetadata(Summary.KEY, handler);
    if (typeof summary !== 'string') return [];
    const own = String(Reflect.getMetadata(PATH_METADATA, handler) ?? '');
    const path = `/${[prefix, own]
      .map((part) => part.replace(/^\/|\/$/g, ''))
      .filter(Boolean)
      .join('/')}`;
    const method = RequestMethod[Number(Reflect.getMetadata(METHOD_METADATA, handler) ?? 0)] ?? 'GET';
    return [
      {
        path: path.replace(/:(\w+)/g, '{$1}'),
        method: method.toLowerCase(),
        operation: described(controller, name, { path, summary }),
      },
    ];
  });
}

function described(
  controller: Type,
  name: string,
  { path, summary }: { readonly path: string; readonly summary: string },
): JsonObject {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, member = '']) => ({
    name: member,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = classAt(controller, name, QUERY);
  const body = classAt(controller, name, BODY);
  const { properties = {}, required = [] } = query === undefined ? {} : formOf(jsonSchemaOf(query));
  const inQuery = Object.entries(properties).map(([member, schema]) => ({
    ...{ name: member, in: 'query', schema: { type: 'string', ...schema } },
    ...(required.includes(member) ? { required: true } : {}),
  }));
  return {
    operationId: `${controller.name.replace(/Controller$/, '')}_${name}`,
    summary,
    tags: [tagOf(path)],
    parameters: [...inPath, ...inQuery],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(inDocument(formOf(jsonSchemaOf(body)))) } }),
    responses: {
      200: resultOf(controller, name),
      ...refusals(refTo('Error')),
    },
  };
}

function tagOf(path: string): string {
  if (path.startsWith('/console/')) return 'Console';
  return path.startsWith('/registry/') ? 'Registry' : 'Operation';
}

function resultOf(controller: Type, name: string): JsonObject {
  const handler: unknown = Reflect.get(controller.prototype as object, name);
  const type: unknown = Reflect.getMetadata(AnswerType.KEY, handler as object);
  if (typeof type !== 'string') return jsonResponse('The result.', { type: 'object' });
  return { description: 'The result.', content: { [type]: { schema: { type: 'string' } } } };
}

/** The class by which a pipe validates an argument (`ValidQuery`, `ValidBody`). */
function classAt(controller: Type, name: string, kind: number): DtoClass | undefined {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Readonly<
    Record<string, { readonly pipes?: readonly unknown[] }>
  >;
  const pipes = Object.entries(args).flatMap(([key, { pipes: own = [] }]) =>
    key.startsWith(`${String(kind)}:`) ? own : [],
  );
  return pipes.find((pipe) => pipe instanceof ValidQuery || pipe instanceof ValidBody)?.dto;
}
