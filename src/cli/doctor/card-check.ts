import { skillOptionsOf } from '../../skill/skill.js';
import { CATALOG } from '../../skill/catalog/index.js';
import { type Finding, fine } from './finding.js';

const TIMEOUT_MS = 5_000;

/** What the check reads of a card; anything may be missing from what answers there. */
interface ServedCard {
  readonly version?: unknown;
  readonly skills?: readonly { readonly id?: unknown }[];
  readonly capabilities?: { readonly pushNotifications?: unknown };
  readonly supportedInterfaces?: readonly { readonly url?: unknown }[];
}

/** What this code, with these variables, would say in its card. */
export interface ExpectedCard {
  readonly version: string;
  readonly publicUrl?: string;
  /** Whether webhooks are offered; absent where that cannot be told from here. */
  readonly webhooks?: boolean;
}

/** Whether the card that callers get is the one of this code: an older pod, or another service, may answer there. */
export async function checkCard(address: string, expected: ExpectedCard): Promise<readonly Finding[]> {
  const url = `${address.replace(/\/$/, '')}/.well-known/agent-card.json`;
  let card: ServedCard;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`it answers ${String(response.status)}`);
    card = (await response.json()) as ServedCard;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const mend = 'Start the service, or name its address with --url';
    return [{ check: 'card', severity: 'warn', text: `No card at ${url}: ${reason}`, mend }];
  }
  const findings = compare(card, expected);
  return findings.length === 0 ? [fine('card', `The card at ${url} is that of this code`)] : findings;
}

function compare(card: ServedCard, { version, publicUrl, webhooks }: ExpectedCard): Finding[] {
  const findings: Finding[] = [];
  const report = (text: string, mend: string): void =>
    void findings.push({ check: 'card', severity: 'fail', text, mend });
  if (card.version !== version) {
    report(
      `The card is of version ${String(card.version)}, this code is ${version}`,
      'Finish the update of all api pods',
    );
  }
  const served = (card.skills ?? []).map(({ id }) => String(id));
  const own = CATALOG.map((skill) => skillOptionsOf(skill)?.id ?? '');
  const missing = own.filter((id) => !served.includes(id));
  const foreign = served.filter((id) => !own.includes(id));
  if (missing.length > 0) report(`The card lacks the skills ${missing.join(', ')}`, 'Update the api pods');
  if (foreign.length > 0)
    report(`The card has skills that this code lacks: ${foreign.join(', ')}`, 'Update this image');
  const claims = card.capabilities?.pushNotifications === true;
  if (webhooks !== undefined && claims !== webhooks) {
    report(
      `The card says that webhooks are ${claims ? 'offered' : 'not offered'}, and with these variables they are ${webhooks ? '' : 'not'}`.trimEnd(),
      'Give the same SECRET_KEYS to all processes, and restart those that started without',
    );
  }
  const url = String(card.supportedInterfaces?.[0]?.url);
  if (publicUrl !== undefined && !url.startsWith(publicUrl)) {
    report(`The card sends callers to ${url}, not to ${publicUrl}`, 'Set the same PUBLIC_URL for all api processes');
  }
  return findings;
}
