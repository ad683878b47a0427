import { anyOf, type NameTest } from '../skill/contract/glob.js';
import type { FreshnessDto, IntentRuleDto, MemoryRuleDto, PolicyFileDto } from './dto/policy-file.dto.js';

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

/** What rules ask of a permitted call. */
export interface Demands {
  readonly fresh?: FreshnessDto;
  /** With the name of the rule, whose calls are counted. */
  readonly rates: readonly { readonly rule: string; readonly rate: string }[];
}

const ALLOWED: Decision = { isAllowed: true };
/** Decisions that are remembered; callers choose neither their names nor the ids of skills. */
const MOST_KNOWN = 10_000;

/**
 * Who may call what, and which keys of memory callers have. All rules about a call count: a `deny` of any refuses it, and
 * where rules have `allow`, one of these must name it. What no rule is about is allowed.
 */
export class Policy {
  private readonly intents: readonly Rule[];
  private readonly memory: readonly Rule[];
  private readonly demands: readonly { readonly rule: Rule; readonly asks: IntentRuleDto }[];
  private readonly known = new Map<string, Decision>();

  constructor({ intents = [], memory = [] }: PolicyFileDto) {
    this.intents = intents.map((rule) => compiled(rule, rule.intents, callerPatterns));
    this.memory = memory.map((rule) => compiled(rule, callerPatterns(rule.callers), same));
    this.demands = intents.flatMap((asks, at) => {
      const rule = this.intents[at];
      return rule === undefined || (asks.fresh === undefined && asks.rate === undefined) ? [] : [{ rule, asks }];
    });
  }

  /** Whether any rule is about calls. */
  get isAboutCalls(): boolean {
    return this.intents.length > 0;
  }

  /** Whether a caller may begin, continue and cancel tasks of a skill. */
  mayCall({ tenant, client }: PolicyCaller, intent: string): Decision {
    if (this.intents.length === 0) return ALLOWED;
    const name = `${tenant}\n${intent}\n${client}`;
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const decision = decide(this.intents, tenant, { about: intent, named: client });
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(name, decision);
    return decision;
  }

  /** Whether a caller has a key of memory. */
  mayHave({ tenant, client }: PolicyCaller, key: string): Decision {
    return this.memory.length === 0 ? ALLOWED : decide(this.memory, tenant, { about: client, named: key });
  }

  /** What is asked of a permitted call beside the right; undefined for nothing. */
  demandsOf({ tenant }: PolicyCaller, intent: string): Demands | undefined {
    const asked = this.demands.filter(({ rule }) => rule.tenants(tenant) && rule.about(intent)).map(({ asks }) => asks);
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
  { name, tenants = ['*'], allow, deny }: IntentRuleDto | MemoryRuleDto,
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

function decide(
  rules: readonly Rule[],
  tenant: string,
  { about, named }: { readonly about: string; readonly named: string },
): Decision {
  let allowing: string | undefined;
  let narrowing: string | undefined;
  for (const rule of rules) {
    if (!rule.about(about) || !rule.tenants(tenant)) continue;
    if (rule.deny?.(named) === true) return { isAllowed: false, rule: rule.name };
    if (rule.allow === undefined) continue;
    if (rule.allow(named)) allowing ??= rule.name;
    else narrowing ??= rule.name;
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
