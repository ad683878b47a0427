import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { routeMessage } from './skill.router.js';

const aSkill = (id: string, modes: Partial<SkillOptions> = {}): SkillOptions => ({
  id,
  name: id,
  description: `Does ${id}`,
  tags: [],
  ...modes,
});
const text = aSkill('text');
const other = aSkill('other');
const pdf = aSkill('pdf', { inputModes: ['application/pdf'], outputModes: ['application/json'] });

function aRequest(part: Part, metadata?: JsonObject, rest: Partial<SendMessageRequest> = {}): SendMessageRequest {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [part], ...(metadata && { metadata }) } as const;
  return { message, ...rest };
}

describe(routeMessage.name, () => {
  it('prefers the skill named by the message to the one named by the request', () => {
    const request = aRequest({ text: 'x' }, { skillId: 'other' }, { metadata: { skillId: 'text' } });
    expect(routeMessage(request, { skills: [text, other] })).toEqual({ kind: 'skill', skillId: 'other' });
    const byRequest = aRequest({ text: 'x' }, {}, { metadata: { skillId: 'text' } });
    expect(routeMessage(byRequest, { skills: [text, other] })).toEqual({ kind: 'skill', skillId: 'text' });
  });

  it('accepts the member by which CrewAI names a skill, after its own', () => {
    const table = { skills: [text, other] };
    const route = (metadata: JsonObject, rest?: Partial<SendMessageRequest>) =>
      routeMessage(aRequest({ text: 'x' }, metadata, rest), table);
    expect(route({ skill_id: 'other' })).toEqual({ kind: 'skill', skillId: 'other' });
    expect(route({}, { metadata: { skill_id: 'other' } })).toEqual({ kind: 'skill', skillId: 'other' });
    expect(route({ skill_id: 'other' }, { metadata: { skillId: 'text' } })).toEqual({ kind: 'skill', skillId: 'text' });
    expect(route({ skill_id: 'nope' })).toMatchObject({ kind: 'unknown', field: 'message.metadata.skill_id' });
    expect(route({ skillId: null, skill_id: 'other' })).toEqual({ kind: 'skill', skillId: 'other' });
  });

  it('refuses an unknown skill, and names the existing ones', () => {
    const route = routeMessage(aRequest({ text: 'x' }, { skillId: 'nope' }), { skills: [text, pdf] });
    expect(route).toEqual({
      kind: 'unknown',
      field: 'message.metadata.skillId',
      description: '"nope" is no skill of this agent: text, pdf',
    });
    const byRequest = aRequest({ text: 'x' }, undefined, { metadata: { skillId: 'nope' } });
    expect(routeMessage(byRequest, { skills: [text] })).toMatchObject({ kind: 'unknown', field: 'metadata.skillId' });
  });

  it('accepts only text as a skill id', () => {
    expect(routeMessage(aRequest({ text: 'x' }, { skillId: 7 }), { skills: [text] })).toEqual({
      kind: 'unknown',
      field: 'message.metadata.skillId',
      description: 'must be the id of a skill',
    });
  });

  it('without a name chooses the default skill, or the only one for the media types', () => {
    const table = { skills: [text, other, pdf], defaultSkillId: 'other' };
    expect(routeMessage(aRequest({ text: 'x' }), table)).toEqual({ kind: 'skill', skillId: 'other' });
    const file = aRequest({ raw: 'AA==', mediaType: 'application/pdf' });
    expect(routeMessage(file, table)).toEqual({ kind: 'skill', skillId: 'pdf' });
  });

  it('SEED-08: rejects a message for which several skills match when none is the default', () => {
    const route = routeMessage(aRequest({ text: 'x' }), { skills: [text, other] });
    expect(route).toMatchObject({ kind: 'rejected', text: expect.stringContaining('does not say which skill') });
  });

  it('A2A-SEND-12: refuses a media type that the named skill, or every skill, does not accept', () => {
    const image = { raw: 'AA==', mediaType: 'image/png' };
    expect(routeMessage(aRequest(image, { skillId: 'text' }), { skills: [text, pdf] })).toEqual({
      kind: 'unsupported',
      text: 'Media type image/png is not accepted here. Accepted: text/plain.',
    });
    expect(routeMessage(aRequest(image), { skills: [text, pdf] })).toEqual({
      kind: 'unsupported',
      text: 'Media type image/png is not accepted here. Accepted: text/plain, application/pdf.',
    });
  });

  it('A2A-SEND-17: refuses output modes that cannot be produced', () => {
    const request = aRequest({ text: 'x' }, undefined, { configuration: { acceptedOutputModes: ['image/png'] } });
    expect(routeMessage(request, { skills: [text, pdf] })).toEqual({
      kind: 'unsupported',
      text: 'None of the accepted output modes can be produced. Produced: text/plain, application/json.',
    });
  });
});
