import type { ToolServers } from '../tools/skill-tool.js';
import { DEBUG_MARK } from './example-value.js';

/** The tools of a simulated run: the same ones, and none of them is called. */
export function simulatedTools(servers: ToolServers): ToolServers {
  return {
    find: (server, tool) => {
      const terms = servers.find(server, tool);
      // A long tool would be a task of its own, which polls a task that was never begun.
      return terms && { ...terms, isLong: false };
    },
    invoke: ({ server, tool }) => {
      const text = `${DEBUG_MARK} The tool ${tool} of ${server} was not called.`;
      return Promise.resolve({ kind: 'result', result: { text, parts: [{ text }], isError: false } });
    },
  };
}
