import type { JsonObject } from '@parley/protocol/model/json.js';
import { jsonSchemaOf } from '../skill/contract/json-schema.js';
import { formOf } from '../skill/contract/rules/combined-schema.js';
import type { Question } from '../skill/questions/question.js';
import { type Tool, toolName } from './tool.js';

/** How a tool of an MCP server is offered to a model. */
export interface McpToolUse {
  /** Name of the tool for the model; default: its name at the server. */
  readonly as?: string;
  /** Description by which the model chooses it. Default: that of the pinned definition. */
  readonly description?: string;
  /** JSON Schema of its arguments. Default: that of the pinned definition. */
  readonly input?: JsonObject;
}

/**
 * A tool of a server of MCP_SERVERS_FILE, as its pinned definition describes it (`parley ops mcp pin <server> --write`). An error that the
 * tool answers with is told to the model.
 */
export function mcp(server: string, name: string, { as = name, ...own }: McpToolUse = {}): Tool {
  return {
    declares: { [server]: [name] },
    offers: ({ findTool }) => {
      const pinned = findTool?.(server, name);
      const description = own.description ?? pinned?.description ?? name;
      const parameters = own.input ?? pinned?.input ?? { type: 'object' };
      const bound = { kind: 'mcp', server, tool: name } as const;
      return [{ tool: { name: toolName(as), description, parameters }, bound }];
    },
    check: (scope) => {
      const { self, catalog } = scope;
      const pinned = catalog.findTool === undefined ? undefined : catalog.findTool(server, name);
      if (catalog.findTool !== undefined && pinned === undefined)
        scope.fault(`MCP_SERVERS_FILE does not list the tool ${name} of ${server}`);
      if (self.tools?.[server]?.includes(name) !== true)
        scope.fault(`the agent does not declare the tool ${name} of ${server} in "tools"`);
      if (pinned !== undefined && pinned.input === undefined && own.input === undefined)
        scope.fault(
          `the tool ${name} of ${server} has no definition for a model: "parley ops mcp pin ${server} --write" stores it`,
        );
    },
  };
}

/** How a model asks people. */
export interface AskPersonOptions extends Pick<Question, 'schema' | 'approvers' | 'timeoutMs'> {
  /** Name of the tool; default `ask_person`. */
  readonly as?: string;
  /** When the model should ask. */
  readonly description?: string;
}

const ASKED: JsonObject = {
  type: 'object',
  properties: { question: { type: 'string', description: 'The question, complete and polite.', maxLength: 4_000 } },
  required: ['question'],
};

/** Lets the model ask the caller, or `approvers`. The task waits for the answer, and holds nothing meanwhile. */
export function askPerson({
  as = 'ask_person',
  description = 'Asks a person for something that you need to know and cannot find out.',
  schema,
  ...asked
}: AskPersonOptions = {}): Tool {
  const json = typeof schema === 'function' ? formOf(jsonSchemaOf(schema)) : schema;
  const bound = { kind: 'question', asked: { ...asked, ...(json === undefined ? {} : { schema: json }) } } as const;
  return {
    offers: () => [{ tool: { name: toolName(as), description, parameters: ASKED }, bound }],
    check: () => undefined,
  };
}
