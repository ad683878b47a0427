import { anyOf, type NameTest } from '@parley/sdk/skill/contract/glob.js';
import type { FreshnessDto, IntentRuleDto, PolicyFileDto } from './dto/policy-file.dto.js';

/** A caller, as rules know it: by its tenant and its client. */
export interface PolicyCaller {
  readonly tenant: string;
  readonly client: string;
}

/** Whether something is allowed, and which rule decides. */
export interface Decision {
  readonly isAllowed: boolean;
  /** Absent where no rule is about it, which allows. */
  readonly rule?: string;
}

/** A skill, as rules know it: by its id, and by the agent or tool that it is another name of. */
export interface PolicySkill {
  readonly id: string;
  readonly aliasOf?: string | undefined;
}

/** What rules ask of a permitted call. */
export interface Demands {
  readonly fresh?: FreshnessDto;
  /** With the name of the rule, whose calls are counted. */
  readonly rates: readonly { readonly rule: string; readonly rate: string }[];
}

/** A skill that acts for the service itself, as a caller in rules. */
const SERVICE = 'service://';
const ALLOWED: Decision = { isAllowed: true };
/** Rules of so many tenants with a skill or a client are remembered; callers choose none of these names. */
const MAX_KNOWN = 10_000;

/**
 * Who may call what, and which keys of memory callers have. All rules about a call count: a `deny` of any refuses it, and
 * where rules have `allow`, one of these must name it. What no rule is about is allowed.
 */
export class Policy {
  private readonly intents: RuleSet;
  private readonly memory: RuleSet;
  private readonly relays: RuleSet;
  private readonly demands: readonly { readonly rule: Rule; readonly asks: IntentRuleDto }[];

  constructor({ intents = [], memory = [], relays = [] }: PolicyFileDto) {
    const calls = intents.map((rule) => compiled(rule, rule.intents, callerPatterns));
    this.intents = new RuleSet(calls);
    this.memory = new RuleSet(memory.map((rule) => compiled(rule, callerPatterns(rule.callers), same)));
    this.relays = new RuleSet(relays.map((rule) => compiled(rule, callerPatterns(rule.callers), same)));
    this.demands = intents.flatMap((asks, at) => {
      const rule = calls[at];
      return rule === undefined || (asks.fresh === undefined && asks.rate === undefined) ? [] : [{ rule, asks }];
    });
  }

  /** Whether any rule is about calls. */
  get isAboutCalls(): boolean {
    return !this.intents.isEmpty;
  }

  /** Whether a caller may begin, continue and cancel tasks of a skill. */
  mayCall({ tenant, client }: PolicyCaller, intent: string): Decision {
    // No client of an issuer is a skill of this service, whatever its name is.
    const named = client.startsWith(SERVICE) ? `client:${client}` : client;
    return decide(this.intents.about(tenant, intent), named);
  }

  /** Whether a caller may use a skill under all of its names: one of them that is refused refuses it. */
  mayUse(caller: PolicyCaller, { id, aliasOf }: PolicySkill): Decision {
    const own = this.mayCall(caller, id);
    return own.isAllowed && aliasOf !== undefined ? this.mayCall(caller, aliasOf) : own;
  }

  /** Whether a skill may call another one for itself: a rule has to name it, as `service://<id>`. */
  mayActAsService(tenant: string, skillId: string, intent: string): Decision {
    const decision = decide(this.intents.about(tenant, intent), `${SERVICE}${skillId}`);
    return decision.rule === undefined ? { isAllowed: false } : decision;
  }

  /** Whether a caller has a key of memory. */
  mayHave({ tenant, client }: PolicyCaller, key: string): Decision {
    return decide(this.memory.about(tenant, client), key);
  }

  /** Whether a caller calls for others, so that it is believed who called first. */
  mayRelay({ tenant, client }: PolicyCaller): boolean {
    return this.relays.about(tenant, client).length > 0;
  }

  /** What is asked of a permitted call beside the right; undefined for nothing. */
  demandsOf({ tenant }: PolicyCaller, { id, aliasOf = id }: PolicySkill): Demands | undefined {
    const asked = this.demands
      .filter(({ rule }) => rule.tenants(tenant) && (rule.about(id) || rule.about(aliasOf)))
      .map(({ asks }) => asks);
    if (asked.length === 0) return undefined;
    const fresh = asked.map((one) => one.fresh).filter((one) => one !== undefined);
    return {
      ...(fresh.length === 0 ? {} : { fresh: strictest(fresh) }),
      rates: asked.flatMap(({ name, rate }) => (rate === undefined ? [] : [{ rule: name, rate }])),
    };
  }
}

interface Rule {
  readonly name: string;
  readonly tenants: NameTest;
  /** Ids of skills, or callers. */
  readonly about: NameTest;
  readonly allow: NameTest | undefined;
  readonly deny: NameTest | undefined;
}

function compiled(
  { name, tenants = ['*'], allow, deny }: Pick<IntentRuleDto, 'name' | 'tenants' | 'allow' | 'deny'>,
  about: readonly string[],
  patternsOf: (patterns: readonly string[]) => readonly string[],
): Rule {
  return {
    name,
    tenants: anyOf(tenants),
    about: anyOf(about),
    allow: allow && anyOf(patternsOf(allow)),
    deny: deny && anyOf(patternsOf(deny)),
  };
}

/** Rules, and which of them are about something. */
class RuleSet {
  private readonly known = new Map<string, readonly Rule[]>();

  constructor(private readonly rules: readonly Rule[]) {}

  get isEmpty(): boolean {
    return this.rules.length === 0;
  }

  about(tenant: string, what: string): readonly Rule[] {
    if (this.isEmpty) return this.rules;
    const name = `${tenant}\n${what}`;
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const found = this.rules.filter((rule) => rule.about(what) && rule.tenants(tenant));
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(name, found);
    return found;
  }
}

function decide(rules: readonly Rule[], named: string): Decision {
  let allowing: string | undefined;
  let narrowing: string | undefined;
  for (const { name, allow, deny } of rules) {
    if (deny?.(named) === true) return { isAllowed: false, rule: name };
    if (allow === undefined) continue;
    if (allow(named)) allowing ??= name;
    else narrowing ??= name;
  }
  if (allowing !== undefined) return { isAllowed: true, rule: allowing };
  return narrowing === undefined ? ALLOWED : { isAllowed: false, rule: narrowing };
}

/** Callers are written as the article has them, `agent://name`, or by name. */
function callerPatterns(patterns: readonly string[]): readonly string[] {
  return patterns.map((pattern) => pattern.replace(/^agent:(\/\/)?/, ''));
}

function same(patterns: readonly string[]): readonly string[] {
  return patterns;
}

function strictest(all: readonly FreshnessDto[]): FreshnessDto {
  return { seconds: Math.min(...all.map(({ seconds }) => seconds)), nonce: all.some(({ nonce }) => nonce === true) };
}
