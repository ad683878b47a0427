import { HttpAgent } from '@ag-ui/client';
import { parleyAgent } from '@parley/client/agui/parley-agent.js';

const ParleyAgent = parleyAgent(HttpAgent);

/** The agent of a page. @param token gets the token of the person who is logged in */
export function agentOf(skill: string, threadId: string, token: () => Promise<string>) {
  return new ParleyAgent({
    url: `https://agent.example/agui/${skill}`,
    threadId,
    fetch: async (url: string, init: RequestInit) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${await token()}`);
      return fetch(url, { ...init, headers });
    },
  });
}
