import { Injectable } from '@nestjs/common';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import { BindingGuard } from '../../http/binding/binding.guard.js';
import { BindingRunner } from '../../http/binding/binding.runner.js';
import type { Sides } from '../../http/binding/exchange.js';
import { HttpCalls } from '../../http/binding/http-calls.js';
import { callerOf } from '../../http/guards/caller.guard.js';
import { bytesOf } from '../../http/request/request-body.js';
import { pathOf } from '../../http/request/request-headers.js';
import { SkillScopes } from '../../operations/skill-scopes.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { AguiExchange, type AguiRoute } from './agui-exchange.js';
import { unknownSkill } from './agui-faults.js';

/**
 * The method guard of pages: reads the request and finds its skill. The operations check scope and rate, since one run
 * may be any of three. The whole body may be a history that the page sends again: of that only what is new is stored.
 */
@Injectable()
export class AguiGuard extends BindingGuard<AguiExchange> {
  constructor(
    private readonly runner: BindingRunner,
    private readonly calls: HttpCalls,
    private readonly skills: SkillRegistry,
    private readonly scopes: SkillScopes,
  ) {
    super();
  }

  protected override begin({ request }: Sides): AguiExchange {
    const [, , , route = 'run'] = pathOf(request).split('/');
    return new AguiExchange(this.runner.begin(request), route as AguiRoute);
  }

  protected override async read(exchange: AguiExchange, bytes: unknown, { request, reply }: Sides): Promise<void> {
    const { facts } = exchange.running;
    const { skill: id } = request.params as { readonly skill: string };
    facts.method = `agui/${id.slice(0, 80)}`;
    const call = this.calls.of(request, reply, callerOf(request), { version: '1.0', facts });
    const skill = this.skills.find(id)?.options;
    if (skill === undefined || !this.scopes.allows(id, call)) throw unknownSkill();
    const body = request.method === 'GET' ? undefined : parseJson(bytesOf(bytes));
    exchange.read = await Promise.resolve({ call, skill, body });
  }
}
