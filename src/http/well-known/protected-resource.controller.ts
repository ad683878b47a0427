import { Controller, Get, Header, Inject, NotFoundException, Param } from '@nestjs/common';
import { AuthOptions } from '../../auth/auth-options.js';
import {
  metadataUrl,
  protectedResource,
  WELL_KNOWN_PATH,
  type ProtectedResource,
} from '../../auth/challenge/protected-resource.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { Public } from '../guards/public.js';

/** OAuth metadata: the issuers of tokens for this service (RFC 9728 §3). Public. */
@Public('clients read it to find out where to get tokens')
@Controller(WELL_KNOWN_PATH)
export class ProtectedResourceController {
  constructor(
    @Inject(AuthOptions) private readonly options: AuthOptions,
    private readonly skills: SkillRegistry,
  ) {}

  @Get()
  @Header('cache-control', 'public, max-age=3600')
  atRoot(): ProtectedResource {
    return this.document();
  }

  /** The resource's own path follows the well-known one; other paths are other resources, not ours. */
  @Get('*')
  @Header('cache-control', 'public, max-age=3600')
  atPath(@Param('*') path: string): ProtectedResource {
    const asked = `${WELL_KNOWN_PATH}/${path}`;
    const isAt = (resource: string): boolean => new URL(metadataUrl(resource)).pathname === asked;
    const resource = this.options.resources?.find(({ resource }) => isAt(resource));
    if (resource !== undefined) return this.document(resource.resource);
    if (!isAt(this.options.resource)) throw new NotFoundException();
    return this.document();
  }

  private document(resource = this.options.resource): ProtectedResource {
    const document = protectedResource(
      { ...this.options, resource },
      this.skills.options.flatMap(({ scopes = [] }) => scopes),
    );
    if (document === undefined) throw new NotFoundException();
    return document;
  }
}
