import { anyOf, type NameTest } from '@parley/sdk/skill/contract/glob.js';
import type { FreshnessDto, IntentRuleDto, PolicyFileDto } from './dto/policy-file.dto.js';

/** A caller in rules: its tenant and its client. */
export interface PolicyCaller {
  readonly tenant: string;
  readonly client: string;
}

/** A decision and its rule. */
export interface Decision {
  readonly isAllowed: boolean;
  /** Absent when no rule matches, which permits. */
  readonly rule?: string;
}

/** A skill in rules: its id, and the agent or tool that it is an alias of. */
export interface PolicySkill {
  readonly id: string;
  readonly aliasOf?: string | undefined;
}

/** Requirements of rules on a permitted call. */
export interface Demands {
  readonly fresh?: FreshnessDto;
  /** Rates with the names of their rules, by which calls are counted. */
  readonly rates: readonly { readonly rule: string; readonly rate: string }[];
}

/** Prefix in rules of a skill that acts for the service itself. */
const SERVICE = 'service://';
const ALLOWED: Decision = { isAllowed: true };
/** Cached decisions by tenant with a skill or a client; callers choose none of these names. */
const MAX_KNOWN = 10_000;

/**
 * Decides about calls and memory keys. All matching rules count: a `deny` of any refuses, and if rules have `allow`,
 * one of these must match. Without a matching rule everything is permitted.
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

  /** Whether any rule concerns calls. */
  get isAboutCalls(): boolean {
    return !this.intents.isEmpty;
  }

  /** Whether a caller may begin, continue and cancel tasks of a skill. */
  mayCall({ tenant, client }: PolicyCaller, intent: string): Decision {
    // A client of an issuer is never a skill of this service, whatever its name is.
    const named = client.startsWith(SERVICE) ? `client:${client}` : client;
    return decide(this.intents.about(tenant, intent), named);
  }

  /** Whether a caller may use a skill under all of its names; one refused name refuses it. */
  mayUse(caller: PolicyCaller, { id, aliasOf }: PolicySkill): Decision {
    const own = this.mayCall(caller, id);
    return own.isAllowed && aliasOf !== undefined ? this.mayCall(caller, aliasOf) : own;
  }

  /** Whether a skill may call another one for itself: requires a rule that names it as `service://<id>`. */
  mayActAsService(tenant: string, skillId: string, intent: string): Decision {
    const decision = decide(this.intents.about(tenant, intent), `${SERVICE}${skillId}`);
    return decision.rule === undefined ? { isAllowed: false } : decision;
  }

  /** Whether a caller may have a memory key. */
  mayHave({ tenant, client }: PolicyCaller, key: string): Decision {
    return decide(this.memory.about(tenant, client), key);
  }

  /** Whether a caller is a relay, whose claim about the first caller is trusted. */
  mayRelay({ tenant, client }: PolicyCaller): boolean {
    return this.relays.about(tenant, client).length > 0;
  }

  /** The requirements on a permitted call besides the right itself; undefined for none. */
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

/** Rules with an index of those that match. */
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

/** Callers are written `agent://name`, as in the article, or by name. */
function callerPatterns(patterns: readonly string[]): readonly string[] {
  return patterns.map((pattern) => pattern.replace(/^agent:(\/\/)?/, ''));
}

function same(patterns: readonly string[]): readonly string[] {
  return patterns;
}

function strictest(all: readonly FreshnessDto[]): FreshnessDto {
  return { seconds: Math.min(...all.map(({ seconds }) => seconds)), nonce: all.some(({ nonce }) => nonce === true) };
}
