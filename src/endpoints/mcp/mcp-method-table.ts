import type { ModuleRef } from '@nestjs/core';
import type { McpRequest } from './call/mcp-request.js';
import { Discovery } from './discovery.js';
import { Resources } from './resource/resources.js';
import { SkillDirectory } from './tool/skill-directory.js';
import { TaskMethods } from './tool/task-methods.js';
import { TaskToolCalls } from './tool/task-tool-calls.js';
import { ToolCalls } from './tool/tool-calls.js';
import { ToolList } from './tool/tool-list.js';

/** A method with a single answer: the members of its result, or their JSON text. */
export type McpMethod = (request: McpRequest) => Promise<object | string> | object;

/** The methods of each era by name. Type and injection token. */
export const McpMethodTable = Symbol('McpMethodTable');
export interface McpMethodTable {
  readonly modern: ReadonlyMap<string, McpMethod>;
  readonly ofSessions: ReadonlyMap<string, McpMethod>;
}

/** The classes behind the methods, for their module to provide. */
export const MCP_METHODS = [
  Discovery,
  ToolList,
  ToolCalls,
  SkillDirectory,
  TaskToolCalls,
  TaskMethods,
  Resources,
] as const;

/** @param modules contains an instance of each of `MCP_METHODS` */
export function mcpMethodTable(modules: Pick<ModuleRef, 'get'>): McpMethodTable {
  const discovery = modules.get(Discovery);
  const list = modules.get(ToolList);
  const tools = modules.get(ToolCalls);
  const directory = modules.get(SkillDirectory);
  const taskTools = modules.get(TaskToolCalls);
  const tasks = modules.get(TaskMethods);
  const resources = modules.get(Resources);
  const shared: readonly (readonly [string, McpMethod])[] = [
    ['tools/list', (request) => list.answer(request)],
    [
      'tools/call',
      (request) => [taskTools, directory].find((one) => one.has(request))?.answer(request) ?? tools.answer(request),
    ],
    ['resources/list', (request) => resources.list(request)],
    ['resources/templates/list', () => resources.templates()],
    ['resources/read', (request) => resources.read(request)],
    ['prompts/list', () => discovery.prompts()],
  ];
  return {
    modern: new Map<string, McpMethod>([
      ...shared,
      ['server/discover', () => discovery.discover()],
      ['tasks/get', (request) => tasks.get(request)],
      ['tasks/update', (request) => tasks.update(request)],
      ['tasks/cancel', (request) => tasks.cancel(request)],
    ]),
    ofSessions: new Map<string, McpMethod>([...shared, ['ping', () => ({})]]),
  };
}
