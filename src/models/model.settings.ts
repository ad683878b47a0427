import { IsOptional, IsString, IsUrl, ValidateIf } from 'class-validator';
import { Amount } from '../platform/config/checks/numbers.js';
import { HTTP_URL } from '../platform/config/checks/http-url.js';
import { Setting } from '../platform/config/settings/setting.js';
import { WholeNumber } from '../platform/config/checks/numbers.js';

/** The language model of skills, and the budgets of its use. */
export class ModelSettings {
  @Setting(
    'Address with the chat completions of OpenAI (https://api.openai.com/v1, Azure, vLLM, Ollama, LiteLLM …). If empty, rules find a tool by the words of a message; no language model is called.',
  )
  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly MODEL_URL?: string;

  @Setting(
    'A JSON file of models by role, in place of MODEL_URL: their providers, order of failover, prices, and rules of tenants (docs/models-file.md). It is read again when it changes.',
  )
  @IsOptional()
  @IsString()
  readonly MODELS_FILE?: string;

  @Setting('Name of the model.')
  @ValidateIf(({ MODEL_URL, MODEL_NAME }: ModelSettings) => (MODEL_URL ?? MODEL_NAME) !== undefined)
  @IsString({ message: 'must name the model of MODEL_URL' })
  readonly MODEL_NAME?: string;

  @Setting('Key of the model.')
  @IsOptional()
  @IsString()
  readonly MODEL_KEY?: string;

  @Setting('Tokens of prompts and answers together that one turn of a task may use.', { was: 'MODEL_TOKENS' })
  @WholeNumber(1, 1_000_000_000)
  readonly turnTokens: number = 200_000;

  @Setting('Calls that one turn of a task may make.', { was: 'MODEL_CALLS' })
  @WholeNumber(1, 10_000)
  readonly turnCalls: number = 50;

  @Setting('Tokens that all tasks of a tree may use together.', { was: 'MODEL_TREE_TOKENS' })
  @WholeNumber(1, 1_000_000_000)
  readonly treeTokens: number = 2_000_000;

  @Setting('Calls that all tasks of a tree may make together.', { was: 'MODEL_TREE_CALLS' })
  @WholeNumber(1, 100_000)
  readonly treeCalls: number = 500;

  @Setting('Cost of a tree, in the currency of the prices below. If absent, unlimited.', { was: 'MODEL_TREE_COST' })
  @IsOptional()
  @Amount()
  readonly treeCost?: number;

  @Setting('Tokens that all tasks of a tenant may use in a day (UTC). If absent, unlimited.', {
    was: 'MODEL_TENANT_TOKENS',
  })
  @IsOptional()
  @WholeNumber(1, 1_000_000_000_000)
  readonly tenantTokens?: number;

  @Setting('Cost of a tenant in a day. If absent, unlimited.', { was: 'MODEL_TENANT_COST' })
  @IsOptional()
  @Amount()
  readonly tenantCost?: number;

  @Setting(
    'Price of a million tokens of prompts of MODEL_URL, for limits of cost and the metric a2a_model_cost_total.',
    { was: 'MODEL_PRICE_IN' },
  )
  @Amount()
  readonly priceIn: number = 0;

  @Setting('Price of a million tokens of answers.', { was: 'MODEL_PRICE_OUT' })
  @Amount()
  readonly priceOut: number = 0;
}
