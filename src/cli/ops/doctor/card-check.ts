import { faultText } from './fault-text.js';
import { type Finding, fine } from '../../../main/finding.js';

const TIMEOUT_MS = 5_000;

/** The members of a card that the check reads; any may be missing in the response. */
interface ServedCard {
  readonly version?: unknown;
  readonly skills?: readonly { readonly id?: unknown }[];
  readonly capabilities?: { readonly pushNotifications?: unknown };
  readonly supportedInterfaces?: readonly { readonly url?: unknown }[];
}

/** The card expected from this code and these variables. */
export interface ExpectedCard {
  readonly version: string;
  /** The ids of its skills. */
  readonly skills: readonly string[];
  readonly publicUrls?: readonly string[];
  /** Whether webhooks are enabled; absent if that is unknown here. */
  readonly webhooks?: boolean;
}

/** Checks that callers get the card of this code: an older pod, or another service, may answer at the address. */
export async function checkCard(address: string, expected: ExpectedCard): Promise<readonly Finding[]> {
  const url = `${address.replace(/\/$/, '')}/.well-known/agent-card.json`;
  let card: ServedCard;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`status ${String(response.status)}`);
    card = (await response.json()) as ServedCard;
  } catch (error) {
    const reason = faultText(error);
    const fix = 'Start the service, or set its address with --url';
    return [{ check: 'card', severity: 'warn', text: `No card at ${url}: ${reason}`, fix }];
  }
  const findings = compare(card, expected);
  return findings.length === 0 ? [fine('card', `The card at ${url} matches this version`)] : findings;
}

function compare(card: ServedCard, { version, publicUrls = [], webhooks, skills: own }: ExpectedCard): Finding[] {
  const findings: Finding[] = [];
  const report = (text: string, fix: string): void =>
    void findings.push({ check: 'card', severity: 'fail', text, fix });
  if (card.version !== version) {
    report(
      `The card has version ${String(card.version)}, this image has ${version}`,
      'Finish the update of all api pods',
    );
  }
  const served = (card.skills ?? []).map(({ id }) => String(id));
  const missing = own.filter((id) => !served.includes(id));
  const foreign = served.filter((id) => !own.includes(id));
  if (missing.length > 0) report(`Skills missing in the card: ${missing.join(', ')}`, 'Update the api pods');
  if (foreign.length > 0)
    report(`Skills in the card but not in this image: ${foreign.join(', ')}`, 'Update this image');
  const claims = card.capabilities?.pushNotifications === true;
  if (webhooks !== undefined && claims !== webhooks) {
    report(
      `The card has webhooks ${claims ? 'on' : 'off'}, but these variables turn them ${webhooks ? 'on' : 'off'}`,
      'Set the same SECRET_KEYS for all processes, and restart those without it',
    );
  }
  const url = String(card.supportedInterfaces?.[0]?.url);
  if (publicUrls.length > 0 && !publicUrls.some((one) => url.startsWith(one))) {
    report(
      `The card has the address ${url}, but PUBLIC_URL is ${publicUrls.join(', ')}`,
      'Set the same PUBLIC_URL for all api processes',
    );
  }
  return findings;
}
