import { Controller, Get, Header, Inject, NotFoundException, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthOptions } from '../../auth/auth-options.js';
import {
  metadataUrl,
  protectedResource,
  resourceAt,
  WELL_KNOWN_PATH,
  type ProtectedResource,
} from '../../auth/challenge/protected-resource.js';
import { CallerGate } from '../../auth/caller.gate.js';
import { varyByAddress } from '../answer/vary.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { Public } from '../guards/public.js';

/** OAuth metadata: the issuers of tokens for this service (RFC 9728 §3). Public. */
@Public('clients read it to find out where to get tokens')
@Controller(WELL_KNOWN_PATH)
export class ProtectedResourceController {
  constructor(
    @Inject(AuthOptions) private readonly options: AuthOptions,
    private readonly skills: SkillRegistry,
    private readonly gate: CallerGate,
  ) {}

  @Get()
  @Header('cache-control', 'public, max-age=3600')
  atRoot(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): ProtectedResource {
    void reply.headers(varyByAddress(this.gate.surroundings));
    return this.document(resourceAt(this.options, this.gate.askedAt(request)));
  }

  /** The resource's own path follows the well-known one; other paths are other resources, not ours. */
  @Get('*')
  @Header('cache-control', 'public, max-age=3600')
  atPath(
    @Param('*') path: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): ProtectedResource {
    void reply.headers(varyByAddress(this.gate.surroundings));
    const { addresses = [], resources = [] } = this.options;
    const paths = [...resources.map((one) => one.path), undefined];
    const ways = [this.gate.askedAt(request), ...addresses, undefined];
    const all = ways.flatMap((at) => paths.map((own) => resourceAt(this.options, at, own)));
    const asked = `${WELL_KNOWN_PATH}/${path}`;
    const resource = all.find((one) => new URL(metadataUrl(one)).pathname === asked);
    if (resource === undefined) throw new NotFoundException();
    return this.document(resource);
  }

  private document(resource: string): ProtectedResource {
    const document = protectedResource(
      { ...this.options, resource },
      this.skills.options.flatMap(({ scopes = [] }) => scopes),
    );
    if (document === undefined) throw new NotFoundException();
    return document;
  }
}
