import { Model } from '../../model/model.js';
import type { ModelPort, ModelReply, ModelRequest } from '../../model/model.port.js';
import { RulesModel } from '../../model/rules/rules.model.js';

/** The model of a test, or one for each role. */
export type TestModels = ModelPort | Readonly<Record<string, ModelPort>>;

/** One request to a model, and its reply. */
export interface ModelRound {
  /** Its role; `default` where the step names none. */
  readonly model: string;
  readonly request: ModelRequest;
  readonly reply: ModelReply;
  /** Names of the tools that the reply calls. */
  readonly tools: readonly string[];
}

/** The models of a test as that of a service, which notes its rounds. */
export function testModel(rounds: ModelRound[], models: TestModels = new RulesModel()): Model {
  const find = (role: string): ModelPort =>
    'complete' in models ? (models as ModelPort) : (models[role] ?? none(role));
  const noting = (role: string): ModelPort => ({
    name: role,
    isLocal: true,
    named: noting,
    reads: find(role).reads,
    complete: async (request, options) => {
      const reply = await find(role).complete(request, options);
      rounds.push({ model: role, request, reply, tools: reply.toolCalls.map(({ name }) => name) });
      return reply;
    },
  });
  return new Model(noting('default'));
}

function none(role: string): ModelPort {
  return {
    name: role,
    complete: () => Promise.reject(new Error(`The test gives no model "${role}": give it \`models\``)),
  };
}
