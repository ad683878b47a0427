import { readdirSync, readFileSync } from 'node:fs';
import { stringify } from 'yaml';

/** A requirement of the a2a-cli specification, and the remark on one that no test guards. */
interface Row {
  readonly tier: 1 | 2 | 3;
  readonly area: string;
  readonly spec: string;
  readonly requirement: string;
  readonly status?: 'partial' | 'fail' | 'na';
  readonly note?: string;
}

interface Judged extends Omit<Row, 'status' | 'note'> {
  readonly status: 'pass' | 'partial' | 'fail' | 'not_measured' | 'na';
  readonly note: string | null;
  /** Spec files whose tests name the requirement. */
  readonly evidence: readonly string[] | null;
}

const ROOT = new URL('../../', import.meta.url);
const HEADER = `# Written by \`npm run conformance -- cli\` from the tests that name a requirement. Do not edit.
# The form is that of the a2a-cli specification, COMPLIANCE.md, Appendix A.
`;

/** The report of the command line against the a2a-cli specification, as YAML. */
export function complianceReport(version: string): string {
  const rows = JSON.parse(readFileSync(new URL('requirements.json', import.meta.url), 'utf8')) as Record<string, Row>;
  const evidence = evidenceOf(Object.keys(rows));
  const requirements = Object.fromEntries(
    Object.entries(rows).map(([id, row]) => [id, judged(row, evidence.get(id) ?? [])]),
  );
  const tiers = [1, 2, 3].map((tier) => summaryOf(Object.values(requirements).filter((row) => row.tier === tier)));
  const claimed = tiers.findIndex(({ satisfied }) => !satisfied);
  const report = {
    report: { ...IDENTITY, tool_version: version, tier_claimed: claimed < 0 ? tiers.length : claimed },
    summary: Object.fromEntries(tiers.map((summary, at) => [`tier_${String(at + 1)}`, summary])),
    requirements,
    default_001_breakdown: DEFAULTS,
    error_codes: ERROR_CODES,
    attestation: {
      reported_by: 'npm run conformance -- cli',
      date: IDENTITY.report_date,
      statement: 'A requirement passes when a test names it; the tests run with every change.',
    },
  };
  return HEADER + stringify(report, { lineWidth: 0 });
}

const IDENTITY = {
  tool: 'parley',
  tool_version: '',
  language: 'TypeScript',
  report_date: '2026-11-23',
  spec_version: '0.2',
  spec_revision: '2026-08-17',
  a2a_versions: ['1.0', '0.3'],
  agent_tested: 'Parley itself, and hostile agents of the tests',
  agent_tck_conformant: 'yes',
  transports_covered: ['JSON-RPC', 'HTTP+JSON'],
};

const SHIPPED = { shipped: 'yes', overridable: 'yes' };
const DEFAULTS = {
  transport_server_preference_order: { ...SHIPPED, note: '--transport' },
  task_completion_wait_by_default: { ...SHIPPED, note: '--async' },
  output_human_readable_text: { ...SHIPPED, note: '--output, --stream' },
  detail_level_concise: { ...SHIPPED, note: '--verbose' },
  protocol_version_highest_mutual: { ...SHIPPED, note: '--a2a-version' },
  transport_security_tls_on: { ...SHIPPED, note: '--insecure, with a warning' },
};

const ERROR_CODES = Object.fromEntries(
  [
    ...['A2ACLI_ERR_USAGE', 'A2ACLI_ERR_CARD_NOT_FOUND', 'A2ACLI_ERR_CARD_INVALID', 'A2ACLI_ERR_UNREACHABLE'],
    ...['A2ACLI_ERR_CREDENTIALS_MISSING', 'A2ACLI_ERR_AUTH_FAILED', 'A2ACLI_ERR_TIMEOUT', 'A2ACLI_ERR_INTERNAL'],
  ].map((code) => [code, { emitted: 'yes', note: null }]),
);

/** A test that names a requirement is its evidence; a row says why where there is none, or less than all of it. */
function judged({ status, note, ...row }: Row, evidence: readonly string[]): Judged {
  if (status !== undefined) return { ...row, status, note: note ?? null, evidence: null };
  return evidence.length > 0
    ? { ...row, status: 'pass', note: null, evidence }
    : { ...row, status: 'not_measured', note: 'No test names it', evidence: null };
}

function summaryOf(rows: readonly Judged[]) {
  const count = (status: Judged['status']): number => rows.filter((row) => row.status === status).length;
  const [pass, na] = [count('pass'), count('na')];
  return {
    ...{ total: rows.length, pass, partial: count('partial'), fail: count('fail') },
    ...{ not_measured: count('not_measured'), na, satisfied: pass + na === rows.length },
  };
}

function evidenceOf(ids: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const texts = ['src/cli', 'packages', 'test']
    .flatMap((folder) =>
      readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => path.endsWith('.spec.ts'))
    .sort()
    .map((path) => ({ path, text: readFileSync(new URL(path, ROOT), 'utf8') }));
  return new Map(ids.map((id) => [id, texts.filter(({ text }) => text.includes(id)).map(({ path }) => path)] as const));
}
