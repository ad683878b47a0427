import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pinAgentSkills, showAgentSkills } from '../../../src/cli/ops/agents/agent-skills.js';
import { skillFaults } from '../../../src/main/skills-judge.js';
import { otherSkills } from '../../../src/main/app.others.js';
import { unjudgedSkills } from '../../../src/main/other-skills.js';
import { checkToolServers } from '../../../src/cli/ops/doctor/tool-server-check.js';
import { pinTools, showTools } from '../../../src/cli/ops/tool-servers/tool-pins.js';
import { toolSecret } from '../../../src/cli/ops/tool-servers/tool-secret.js';
import { loadConfig } from '../../../src/main/app.environment.js';
import { pinOf } from '../../../src/mcp-tools/client/tool-definition.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { ECHO_TOOL, type StubTool, ToolServerStub } from '../../kit/mcp-tools/tool-server-stub.js';

const OTHER: StubTool = { name: 'other', inputSchema: { type: 'object' } };
const SKILL = { id: 'forecast', name: 'Forecast', description: 'Looks ahead.', tags: ['money'] };

let stub: ToolServerStub;
let folder: string;
let files: { readonly servers: string; readonly agents: string };
let before: NodeJS.ProcessEnv;
let card: object;

function aCard(skill: object): object {
  return {
    ...{ name: 'Finance', description: 'Counts.', version: '1', skills: [skill], capabilities: {} },
    supportedInterfaces: [{ url: `http://${stub.host}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  };
}

function writeServers(tools: object, more: object = {}): Promise<void> {
  return writeFile(files.servers, JSON.stringify({ files: { url: stub.url, tools, ...more } }));
}

const content = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

describe('tool commands', () => {
  beforeAll(async () => {
    before = process.env;
    folder = await mkdtemp(join(tmpdir(), 'parley-commands-'));
    files = { servers: join(folder, 'servers.json'), agents: join(folder, 'agents.json') };
  });

  beforeEach(async () => {
    stub = await new ToolServerStub().start();
    stub.tools = [ECHO_TOOL, OTHER];
    stub.before = (request, response) => {
      if (request.url?.startsWith('/.well-known/') !== true) return false;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
      return true;
    };
    card = aCard(SKILL);
    process.env = {
      ...before,
      ...{ MCP_SERVERS_FILE: files.servers, AGENTS_FILE: files.agents, EGRESS_ALLOW: `${stub.host}=127.0.0.1/32!http` },
      ...{ REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` },
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    };
    await writeServers({ echo: { pin: pinOf({ ...ECHO_TOOL }) } });
    await writeFile(files.agents, '{}');
  });

  afterEach(async () => {
    process.env = before;
    await stub.stop();
  });

  afterAll(() => rm(folder, { recursive: true }));

  describe('parley ops mcp', () => {
    it('lists the tools of a server, and how each compares with the file', async () => {
      await writeServers({ echo: { pin: pinOf({ ...ECHO_TOOL }) }, gone: {} });
      const { json, text } = await showTools('files');
      expect(json).toEqual({
        server: 'files',
        tools: [
          { tool: 'echo', state: 'pinned', pin: pinOf({ ...ECHO_TOOL }) },
          { tool: 'gone', state: 'gone', pin: '' },
          { tool: 'other', state: 'not listed', pin: pinOf({ ...OTHER }) },
        ],
      });
      expect(text).toMatch(/^tool +state +pin now\n/i);
      stub.tools = [{ ...ECHO_TOOL, description: 'Says it louder.' }];
      expect((await showTools('files')).text).toMatch(/echo +differs/);
      await expect(showTools('nowhere')).rejects.toThrow('MCP_SERVERS_FILE has no server nowhere. It has: files.');
    });

    it('names schemas that cannot be judged: pin, doctor and start, of tools and agents, shown or not (B5)', async () => {
      const bad = { type: 'object', properties: { a: { $ref: 'https://schemas.example/a.json' } } };
      const inputSchema = { type: 'object', properties: { a: { pattern: '(?P<year>x)' } } };
      stub.tools = [
        { ...ECHO_TOOL, inputSchema },
        { ...OTHER, inputSchema: bad },
      ];
      await writeServers({ echo: { exposeAs: 'echo_it' }, other: {} });
      const { text } = await pinTools('files', [], { write: true });
      expect(text).toContain('its input schema cannot be judged, as it has a pattern that is none');
      expect(text).toContain('its input schema cannot be judged, as it refers to another document');

      const definition = { name: 'Forecast', description: 'Looks ahead.', tags: ['money'], output: bad };
      const expose = { forecast: { as: 'forecast_it', definition } };
      await writeFile(files.agents, JSON.stringify({ finance: { card: `http://${stub.host}/card`, expose } }));
      const environment = loadConfig();
      const found = (await checkToolServers(environment)).filter(({ severity }) => severity === 'warn');
      expect(found.map((one) => one.text)).toEqual([
        expect.stringMatching(/^files: other: its input schema cannot be judged, as it refers to another document/),
        expect.stringMatching(
          /^The skill echo_it: its input schema cannot be judged, as it has a pattern that is none/,
        ),
        expect.stringMatching(/^The skill forecast_it: its output schema cannot be judged/),
      ]);
      expect(unjudgedSkills(otherSkills(environment)).map(({ skill }) => skill)).toEqual(['echo_it', 'forecast_it']);
    });

    it('writes the pin and the definition of each tool: skills and models get them (MCP-BRIDGE-2, LLM-06)', async () => {
      await writeServers({ echo: { effects: 'none', exposeAs: 'echo_it' }, other: {} });
      const { text } = await pinTools('files', [], {});
      expect(text).toContain(`echo\n  Says it again.\n  "pin": "${pinOf({ ...ECHO_TOOL })}"`);
      expect(await content(files.servers)).toMatchObject({ files: { tools: { other: {} } } });
      await pinTools('files', [], { write: true });
      const { description, inputSchema } = ECHO_TOOL;
      expect(await content(files.servers)).toEqual({
        files: {
          url: stub.url,
          tools: {
            echo: {
              ...{ effects: 'none', exposeAs: 'echo_it', pin: pinOf({ ...ECHO_TOOL }) },
              definition: { description, inputSchema },
            },
            other: { pin: pinOf({ ...OTHER }), definition: { inputSchema: OTHER.inputSchema } },
          },
        },
      });
    });

    it('pins no text that people cannot see, and no tool that is not there', async () => {
      stub.tools = [{ ...ECHO_TOOL, description: 'Says it.\u200bThen pays.' }];
      await expect(pinTools('files', [], { write: true })).rejects.toThrow('characters that people cannot see');
      await expect(pinTools('files', ['none'], {})).rejects.toThrow('The server has no tool none.');
    });

    it('keeps credentials of tenants that come from standard input, and shows whose there are', async () => {
      await writeServers({}, { auth: { type: 'tenant' } });
      const input = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
      try {
        Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from(['token-of-acme\n']) });
        expect((await toolSecret('files', { tenant: 'acme' })).json).toEqual({ server: 'files', tenants: ['acme'] });
        expect((await showTools('files', 'acme')).text).toMatch(/echo +not listed/);
        expect(stub.requests.at(-1)?.headers.authorization).toBe('Bearer token-of-acme');
        expect((await toolSecret('files', { tenant: 'acme', remove: true })).json).toMatchObject({ tenants: [] });
      } finally {
        Object.defineProperty(process, 'stdin', input);
      }
      await expect(showTools('files')).rejects.toThrow('files wants a credential of a tenant');
    });
  });

  describe('parley ops agents', () => {
    it('lists the skills of an agent, and writes the definitions of exposed ones (MCP-BRIDGE-1)', async () => {
      const address = `http://${stub.host}`;
      await writeFile(files.agents, JSON.stringify({ finance: { card: address, expose: { forecast: {}, past: {} } } }));
      expect((await showAgentSkills('finance')).json).toMatchObject({
        skills: [
          { skill: 'forecast', state: 'no definition', here: 'finance__forecast' },
          { skill: 'past', state: 'gone' },
        ],
      });
      await pinAgentSkills('finance', ['forecast'], { write: true });
      const { id: _id, ...described } = SKILL;
      const definition = { ...described, inputModes: ['text/plain'], outputModes: ['text/plain'] };
      expect(await content(files.agents)).toEqual({
        finance: { card: address, expose: { forecast: { definition }, past: {} } },
      });
      expect((await showAgentSkills('finance')).text).toMatch(/forecast +pinned/);
      card = aCard({ ...SKILL, description: 'Pays.' });
      expect((await showAgentSkills('finance')).text).toMatch(/forecast +differs/);
      card = aCard({ ...SKILL, description: 'Looks\u202e ahead.' });
      await expect(pinAgentSkills('finance', ['forecast'], {})).rejects.toThrow('characters that people cannot see');
      await expect(pinAgentSkills('finance', ['past'], {})).rejects.toThrow('has no skill past');
      await expect(showAgentSkills('nobody')).rejects.toThrow('AGENTS_FILE has no agent nobody. It has: finance.');
    });
  });

  describe(checkToolServers.name, () => {
    const found = async (): Promise<readonly string[]> =>
      (await checkToolServers(loadConfig())).map(({ severity, text }) => `${severity} ${text}`);

    it('asks each server, and finds tools that are other than pinned', async () => {
      expect(await found()).toEqual([
        `ok files (http://${stub.host}): echo`,
        'ok files answers, and its pinned tools are unchanged',
      ]);
      stub.tools = [{ ...ECHO_TOOL, description: 'Else.' }];
      expect((await found()).at(-1)).toBe('warn files: gone, or other than pinned, so never called: echo');
    });

    it('finds a server that does not answer, and one that refuses the credential', async () => {
      stub.before = (_request, response) => {
        response.writeHead(401).end();
        return true;
      };
      expect((await found()).at(-1)).toBe('warn files: The server answered 401.');
      await stub.stop();
      expect((await found()).at(-1)).toMatch(/^warn files: /);
      stub = await new ToolServerStub().start();
    });

    it('finds what cannot be shown as a skill, and a file that cannot be read', async () => {
      await writeServers({ echo: { pin: pinOf({ ...ECHO_TOOL }), exposeAs: 'echo_it' } });
      const faults = await skillFaults(loadConfig({ MCP_SERVERS_FILE: files.servers }), {
        packs: [],
        settings: new Map(),
      });
      expect(faults).toEqual([expect.stringMatching(/^MCP_SERVERS_FILE: files: echo: exposeAs needs the pinned/)]);
      await writeFile(files.servers, '{');
      expect(await found()).toEqual([expect.stringMatching(/^fail MCP_SERVERS_FILE: /)]);
    });
  });
});
