import { registerDecorator } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { PART_CONTENT_MEMBERS } from '@parley/protocol/model/message.js';

/** Marks the member that represents a part's content: exactly one of text, raw, url and data is set (A2A-JSON-06). */
export function ExactlyOneContent(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'exactlyOneContent',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (_value, args) => contentsOf(args?.object).length === 1,
        defaultMessage: (args) =>
          contentsOf(args?.object).length === 0
            ? 'must have one of text, raw, url, data'
            : `must have only one of text, raw, url, data, not ${contentsOf(args?.object).join(' and ')}`,
      },
    });
    // The member is never sent. The schema states the rule of the whole object.
    JSONSchema(({ properties: { [String(property)]: _member, ...properties } = {}, ...schema }) => ({
      ...schema,
      properties,
      oneOf: PART_CONTENT_MEMBERS.map((name) => ({ required: [name] })),
    }))(target.constructor);
  };
}

function contentsOf(part: object | undefined): readonly string[] {
  const members = part as Readonly<Record<string, unknown>> | undefined;
  return PART_CONTENT_MEMBERS.filter((name) => members?.[name] !== undefined);
}
