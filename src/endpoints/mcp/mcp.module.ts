import { type DynamicModule, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AgentCardModule } from '../../agents/card/agent-card.module.js';
import { LimitModule } from '../../limits/limit.module.js';
import type { SecretBox } from '../../secrets/secret-box.js';
import { McpOptions } from './call/mcp.options.js';
import { Seals } from './call/seals.js';
import { McpReplies } from './call/mcp-replies.js';
import { TaskCalls } from './call/task-calls.js';
import { McpController } from './mcp.controller.js';
import { McpGuard } from './mcp.guard.js';
import { MCP_METHODS, McpMethodTable, mcpMethodTable } from './mcp-method-table.js';
import { McpMethods } from './mcp-methods.js';
import { NO_RESOURCES, ResourceSource } from './resource/resource-source.js';
import { SessionCalls } from './session/session-calls.js';
import { McpSessionController } from './session/mcp-session.controller.js';
import { Sessions } from './session/sessions.js';
import { Listener } from './subscription/listener.js';
import { TaskNews } from './subscription/task-news.js';
import { ToolEnds } from './tool/tool-ends.js';

/** The options of the module. */
export interface McpModuleOptions {
  readonly options: McpOptions;
  /** Seals the texts that clients return. */
  readonly sealer: SecretBox;
  /** Resources besides those of tasks. */
  readonly resources?: ResourceSource | undefined;
}

/**
 * The MCP endpoint: skills as tools, artifacts as resources. Stateless: tasks, sessions and questions are found by ids.
 */
@Module({})
export class McpModule {
  /** @param binding dependencies of every binding */
  static forRoot({ options, sealer, resources }: McpModuleOptions, binding: DynamicModule): DynamicModule {
    return {
      module: McpModule,
      imports: [binding, AgentCardModule, LimitModule],
      controllers: [McpController, McpSessionController],
      providers: [
        { provide: McpOptions, useValue: options },
        { provide: Seals, useValue: new Seals(sealer) },
        { provide: ResourceSource, useValue: resources ?? NO_RESOURCES },
        // Nest creates the methods before the table that resolves them.
        { provide: McpMethodTable, useFactory: mcpMethodTable, inject: [ModuleRef, ...MCP_METHODS] },
        ...MCP_METHODS,
        ...[McpGuard, McpMethods, McpReplies, Sessions, SessionCalls, TaskCalls, ToolEnds],
        ...[Listener, TaskNews],
      ],
    };
  }
}
