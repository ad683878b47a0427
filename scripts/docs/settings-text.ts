// The texts of .env.example and docs/settings.md, made from the settings classes.
import { SECTIONS } from '../../src/main/app.environment.js';
import { FEATURES } from '../../src/main/app.features.js';
import type { Feature } from '../../src/http/binding/feature.js';
import {
  isVariable,
  type SettingFacts,
  settingsIn,
  type SettingsClass,
} from '../../src/platform/config/settings/setting.js';

/** Features have titles of their own. */
const TITLES: Readonly<Record<Exclude<keyof typeof SECTIONS, (typeof FEATURES)[number]['name']>, string>> = {
  service: 'The process',
  redis: 'Redis',
  tasks: 'Tasks',
  auth: 'Callers',
  limits: 'Rates (units per minute / burst) and quotas',
  webhooks: 'Webhooks',
  files: 'Files',
  models: 'Language model of skills',
  tracing: 'Traces (OpenTelemetry)',
};

function titleOf(name: keyof typeof SECTIONS): string {
  const titles: Readonly<Record<string, string>> = TITLES;
  return FEATURES.find((feature: Feature) => feature.name === name)?.title ?? titles[name] ?? name;
}

const WIDTH = 120;

const ENV_HEAD = `Every variable that the service reads, with its default. All are optional. Copied to .env, it is read by \`npm start\` and \`parley\`; what the environment sets already wins. REDIS_URL, SECRET_KEYS, API_KEYS, CARD_SIGNING_KEYS and MODEL_KEY are secrets. Each can be read from a file instead: set REDIS_URL_FILE and so on to its path. Settings that few change are members of parley.yaml: docs/settings.md. Made by \`npm run docs -- settings\` from the settings classes in src.`;

const ENV_TAIL = `The SDK of OpenTelemetry reads its other variables itself: OTEL_SERVICE_NAME (default parley), OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_HEADERS. Packs of skills have variables of their own: docs/invoices.md.`;

const DOC_HEAD = `# Settings

Every setting has a default; the service starts without any. A setting is a **variable** of the environment (or of \`.env\`, see \`.env.example\`), or a member of the optional file \`parley.yaml\`, in the working folder or where \`PARLEY_FILE\` says. The start refuses values that are out of range, members that the file cannot have, and variables of older versions that are members now, and names each. \`parley ops doctor\` finds the same without a start.

\`\`\`yaml
# parley.yaml
limits:
  streamsOfTenant: 400
auth:
  issuers:
    - issuer: https://login.example
      audiences: [https://agent.example]
      tenantClaim: org
\`\`\`

This page and \`.env.example\` are made by \`npm run docs -- settings\` from the settings classes in \`src\`.
`;

/** A setting with its default, '' for none. */
interface Shown extends SettingFacts {
  readonly usual: string;
}

export function envExample(): string {
  const sections = everySection().map(([name, settings]) => {
    const variables = settings.filter((setting) => isVariable(setting.name));
    const lines = variables.map((setting) => `${comment(setting.doc)}\n${setting.name}=${setting.usual}`);
    return lines.length === 0 ? '' : [`# --- ${titleOf(name)} ---`, ...lines].join('\n\n');
  });
  return `${[comment(ENV_HEAD), ...sections.filter((text) => text !== ''), comment(ENV_TAIL)].join('\n\n')}\n`;
}

export function settingsPage(): string {
  const sections = everySection().map(([name, settings]) => {
    const rows = settings.map(
      ({ name: setting, usual, doc }) =>
        `| \`${isVariable(setting) ? setting : `${name}.${setting}`}\` | ${usual === '' ? '' : `\`${usual}\``} | ${cell(doc)} |`,
    );
    return [`## ${titleOf(name)}`, '', '| setting | default | description |', '| --- | --- | --- |', ...rows, ''].join(
      '\n',
    );
  });
  return [DOC_HEAD, ...sections].join('\n');
}

function everySection(): readonly (readonly [keyof typeof SECTIONS, readonly Shown[]])[] {
  return Object.entries<SettingsClass>(SECTIONS).map(([name, type]) => {
    const defaults = new type() as Readonly<Record<string, unknown>>;
    const shown = settingsIn(type).map((setting) => ({ ...setting, usual: textOf(defaults[setting.name]) }));
    return [name as keyof typeof SECTIONS, shown] as const;
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || value === true ? String(value) : '';
}

function cell(doc: string): string {
  return doc.replaceAll('|', '\\|').replaceAll(/<([^>]+)>/g, '`<$1>`');
}

/** Words in lines of a comment. */
function comment(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length + 3 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => `# ${line}`).join('\n');
}
