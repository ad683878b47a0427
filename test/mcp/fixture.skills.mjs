// The skills and resources that the MCP conformance suite asks for by name. They run inside the built service, so they
// import what was built.
import { Buffer } from 'node:buffer';
import { setTimeout as pause } from 'node:timers/promises';
import { plainToInstance } from 'class-transformer';
import { IsNumber, IsOptional, IsString } from 'class-validator';
import { artifact, inputRequired, working } from '@parley/sdk/skill/events.js';
import { Skill, SkillFailure } from '@parley/sdk/skill/skill.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';
const MODES = { inputModes: ['application/json', 'text/plain'], outputModes: ['*/*'] };

/** A class for the arguments of a tool: each name with the decorators of its member. */
function inputOf(members) {
  const Input = class {};
  for (const [name, decorators] of Object.entries(members)) {
    for (const decorate of decorators) decorate(Input.prototype, name);
  }
  plainToInstance(Input, {});
  return Input;
}

const anything = inputOf({ note: [IsOptional(), IsString()] });

/** A skill of a generator function. */
function skill(id, run, options = {}) {
  const Class = class {
    run(context) {
      return run(context);
    }
  };
  const card = { id, name: id, description: `Fixture of the MCP conformance suite: ${id}.`, tags: ['test'] };
  Skill({ ...card, ...MODES, maxAttempts: 1, input: anything, ...options })(Class);
  return Class;
}

/** A question with a form; `id` is its key. */
function form(id, text, properties) {
  return {
    data: { form: { id, title: text, schema: { type: 'object', properties, required: Object.keys(properties) } } },
  };
}

function asks(...forms) {
  return inputRequired([{ text: 'Please answer' }, ...forms]);
}

const NAME = { name: { type: 'string' } };
const OK = { ok: { type: 'boolean' } };

/** The answer of this turn. */
function answerOf({ data }) {
  return data[0] ?? {};
}

/** Asks one question in its first turn and says the answer in its second. */
function once(question, say) {
  return async function* (context) {
    if (context.turn === 1) yield asks(question);
    else yield artifact('answer', say(answerOf(context)));
  };
}

const SKILLS = [
  skill('test_simple_text', async function* () {
    yield artifact('a', 'This is a simple text response for testing.');
  }),
  skill('test_image_content', async function* () {
    yield artifact('a', [{ raw: PIXEL, mediaType: 'image/png' }]);
  }),
  skill('test_audio_content', async function* () {
    yield artifact('a', [{ raw: SILENCE, mediaType: 'audio/wav' }]);
  }),
  skill('test_embedded_resource', async function* () {
    yield artifact('a', [{ raw: base64('This is an embedded resource content.'), mediaType: 'text/plain' }]);
  }),
  skill('test_multiple_content_types', async function* () {
    yield artifact('a', [
      { text: 'Multiple content types test:' },
      { raw: PIXEL, mediaType: 'image/png' },
      { raw: base64('{"test":"data","value":123}'), mediaType: 'application/json' },
    ]);
  }),
  // eslint-disable-next-line require-yield
  skill('test_error_handling', async function* () {
    throw new SkillFailure('This tool intentionally returns an error for testing');
  }),
  skill('test_tool_with_progress', async function* ({ signal }) {
    for (const done of [0, 50, 100]) {
      yield working(`${done}/100`);
      await pause(50, undefined, { signal });
    }
    yield artifact('a', 'done');
  }),
  skill('test_logging_tool', async function* () {
    yield artifact('a', 'nothing is logged to the client');
  }),
  skill(
    'test_missing_capability',
    async function* () {
      yield artifact('a', 'sampled');
    },
    { mcp: { requires: { sampling: {} } } },
  ),
  skill(
    'test_streaming_elicitation',
    once(form('name', 'What is your name?', NAME), () => 'thanks'),
  ),
  skill(
    'test_input_required_result_elicitation',
    once(form('user_name', 'What is your name?', NAME), ({ name }) => `Hello, ${name}!`),
  ),
  skill(
    'test_input_required_result_request_state',
    once(form('confirm', 'Please confirm', OK), () => 'state-ok'),
  ),
  skill(
    'test_input_required_result_tampered_state',
    once(form('confirm', 'Please confirm', OK), () => 'state-ok'),
  ),
  skill(
    'test_input_required_result_capabilities',
    once(form('confirm', 'Please confirm', OK), () => 'ok'),
  ),
  skill('test_input_required_result_multi_round', async function* (context) {
    if (context.turn === 1) yield asks(form('step1', 'Step 1: What is your name?', NAME));
    else if (context.turn === 2) yield asks(form('step2', 'Step 2: Favorite color?', { color: { type: 'string' } }));
    else yield artifact('a', 'both steps are done');
  }),
  skill(
    'test_elicitation',
    once(form('user', 'Who are you?', { username: { type: 'string' }, email: { type: 'string' } }), (answer) =>
      JSON.stringify(answer),
    ),
    {
      input: inputOf({ message: [IsOptional(), IsString()] }),
    },
  ),
  skill(
    'test_elicitation_sep1034_defaults',
    once(
      form('defaults', 'Check the defaults', {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      }),
      (answer) => JSON.stringify(answer),
    ),
  ),
  skill(
    'greet',
    async function* ({ input }) {
      yield artifact('a', `Hello, ${input.name}!`);
    },
    { input: inputOf({ name: [IsString()] }) },
  ),
  skill(
    'slow_compute',
    async function* ({ input, signal }) {
      await pause((input.seconds ?? 0) * 1000, undefined, { signal });
      yield artifact('a', `computed in ${input.seconds ?? 0} s`);
    },
    { input: inputOf({ seconds: [IsOptional(), IsNumber()], label: [IsOptional(), IsString()] }) },
  ),
  skill(
    'failing_job',
    // eslint-disable-next-line require-yield
    async function* ({ signal }) {
      await pause(1000, undefined, { signal });
      throw new SkillFailure('The job failed');
    },
    { mcp: { task: 'required' } },
  ),
  skill(
    'protocol_error_job',
    // eslint-disable-next-line require-yield
    async function* () {
      throw new Error('panic');
    },
    { mcp: { task: 'always' } },
  ),
  skill(
    'confirm_delete',
    once(form('confirm-delete', 'Delete the file?', { confirm: { type: 'boolean' } }), ({ confirm }) =>
      confirm ? 'deleted' : 'kept',
    ),
    {
      input: inputOf({ filename: [IsOptional(), IsString()] }),
      mcp: { task: 'always' },
    },
  ),
  skill(
    'multi_input',
    async function* (context) {
      const given = (await context.state.get('given')) ?? {};
      const questionId = context.messages.at(-1)?.metadata?.['urn:parley:form'];
      if (questionId !== undefined) given[questionId] = answerOf(context);
      await context.state.set('given', given);
      const open = ['first', 'second'].filter((key) => given[key] === undefined);
      if (open.length === 0) yield artifact('a', JSON.stringify(given));
      else yield asks(...open.map((key) => form(key, `The ${key} name?`, NAME)));
    },
    { mcp: { task: 'always' } },
  ),
  skill('test_tool_with_task', async function* (context) {
    if (context.turn === 1) {
      yield asks(form('user_name', 'What is your name?', NAME));
      return;
    }
    await pause(1500, undefined, { signal: context.signal });
    yield artifact('a', `Hello, ${answerOf(context).name}!`);
  }),
  skill(
    'json_schema_2020_12_tool',
    async function* () {
      yield artifact('a', 'ok');
    },
    {
      inputModes: ['application/json'],
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
    },
  ),
  skill(
    'test_custom_header',
    async function* ({ data }) {
      yield artifact('a', `in ${data[0].region}`);
    },
    {
      inputModes: ['application/json'],
      input: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
        required: ['region'],
        additionalProperties: false,
      },
    },
  ),
];

const ELICITATION_ENUMS = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
        { const: 'value3', title: 'Third Choice' },
      ],
    },
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
};
SKILLS.push(
  skill(
    'test_elicitation_sep1330_enums',
    once(form('enums', 'Choose', ELICITATION_ENUMS), (answer) => JSON.stringify(answer)),
  ),
);

export const FIXTURE_SKILLS = SKILLS;

/** @type {import('../../src/endpoints/mcp/resource/resource-source.js').ResourceSource} */
export const FIXTURE_RESOURCES = {
  resources: [
    { uri: 'test://static-text', name: 'static-text', description: 'A text', mimeType: 'text/plain' },
    { uri: 'test://static-binary', name: 'static-binary', description: 'A picture', mimeType: 'image/png' },
  ],
  templates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  read(uri) {
    if (uri === 'test://static-text') {
      return [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }];
    }
    if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: PIXEL }];
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined) return undefined;
    return [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ];
  },
};

function base64(text) {
  return Buffer.from(text).toString('base64');
}
