// The tool client of the built service as the client of the conformance suite: node conformance.mjs <url of the suite's server>,
// with the scenario in the environment. Lists the tools, takes them as they are, and makes the calls of the scenario.
import { createPrivateKey } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { ToolClient } from '../tool-client.mjs';

Logger.overrideLogger(false);
const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const MODERN = '2026-07-28';
/** Arguments of tools that want some. */
const ARGUMENTS = { add_numbers: { a: 5, b: 3 }, valid_tool: { region: 'here' } };

const { transport, hosts } = await transportTo(url);
const client = new ToolClient({ transport, allow: hosts.map(allowed).join(';'), era: eraOf(scenario) });
try {
  const tools = await client.pinAll();
  for (const { name, args } of callsOf(tools)) await called(name, args);
} finally {
  await client.close();
}

/** What the operator of a service would write into its file: the revision, where that is not what is tried. */
function eraOf(name) {
  if (name === 'request-metadata') return 'auto';
  return process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === MODERN ? 'modern' : 'legacy';
}

/** The calls that the scenario asks for, else one of each tool. */
function callsOf(tools) {
  if (scenario === 'json-schema-ref-no-deref') return [];
  const asked = context.toolCalls;
  if (asked === undefined)
    return tools.map(({ name, inputSchema }) => ({ name, args: ARGUMENTS[name] ?? fitting(inputSchema) }));
  // A null is no boolean: the client refuses it before it sends anything. A skill leaves such a member out.
  const given = (args) => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  return asked.map(({ name, arguments: args }) => ({ name, args: given(args) }));
}

/** Values for what a schema requires. */
function fitting({ required = [], properties = {} }) {
  const values = { string: 'x', number: 1, integer: 1, boolean: true, object: {}, array: [], null: null };
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type] ?? 'x']));
}

/** A call, and the next one with answers where the tool asks. */
async function called(name, args) {
  const outcome = await client.call(name, args);
  if (outcome.kind !== 'asks') return;
  await client.call('test_mrtr_unrelated', {});
  const content = Object.fromEntries(outcome.questions.map(({ key }) => [key, { confirmed: true }]));
  await client.call(name, args, {
    answers: { content, ...(outcome.state === undefined ? {} : { state: outcome.state }) },
  });
}

/** With a client of the issuer where the scenario gives one. The issuer is the operator's to name: here it is looked up for him. */
async function transportTo(server) {
  const { origin } = new URL(server);
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: pem, signing_algorithm: alg } = context;
  if (clientId === undefined)
    return { transport: { type: 'http', url: server, auth: { type: 'none' } }, hosts: [origin] };
  const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`);
  const [issuer] = (await metadata.json()).authorization_servers;
  const proof =
    pem === undefined ? { clientSecret } : { key: { alg, jwk: createPrivateKey(pem).export({ format: 'jwk' }) } };
  return {
    transport: { type: 'http', url: server, auth: { type: 'oauth2', issuer, clientId, ...proof } },
    hosts: [origin, issuer],
  };
}

function allowed(address) {
  return `${new URL(address).host}=127.0.0.1/32!http`;
}
