import { Inject, Injectable } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { CardOptions } from './card.options.js';
import { declaredExtensions } from './declared-extensions.js';

/** The extensions that the card declares, and their activation by callers (A2A 1.0 §4.6). */
@Injectable()
export class CardExtensions {
  private readonly declared: readonly AgentExtension[];
  private readonly required: readonly string[];

  constructor(skills: SkillRegistry, @Inject(CardOptions) options: CardOptions) {
    this.declared = declaredExtensions(options, skills.options, '');
    this.required = this.declared.filter(({ required }) => required === true).map(({ uri }) => uri);
  }

  /**
   * The requested extensions that are active for the call; others are ignored (A2A-EXT-04). Throws `A2AError`
   * ExtensionSupportRequired when a required one is not requested (A2A-EXT-03).
   */
  activated(asked: readonly string[]): readonly string[] {
    const missing = this.required.filter((uri) => !asked.includes(uri));
    if (missing.length > 0) throw supportRequired(missing);
    if (asked.length === 0) return asked;
    return this.declared.map(({ uri }) => uri).filter((uri) => asked.includes(uri));
  }
}

/**
 * Response headers with the active extensions, in the spelling of the caller's version; empty without any (A2A-EXT-05).
 */
export function activeExtensionHeaders(
  uris: readonly string[],
  version: ProtocolVersion,
): Readonly<Record<string, string>> {
  if (uris.length === 0) return {};
  return { [version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions']: uris.join(', ') };
}

function supportRequired(uris: readonly string[]): A2AError {
  const extensions = uris.join(', ');
  return new A2AError('ExtensionSupportRequired', `This agent requires the extensions: ${extensions}`, {
    metadata: { extensions },
  });
}
