import type { Sampling } from '#core/host';
import type { ModelOptions } from '../base/model-options.ts';
import { formatGrammar } from '../prompting/grammar/format-grammar.ts';
import { type OutputForm, outputForm } from '../prompting/output/output-form.ts';
import type { RunRequest } from '../runs/requests.ts';
import type { PromptInput, RenderedPrompt } from './prompt.ts';
import { sampling } from './sampling.ts';

/** One answer to generate. It is complete before its model loads, so that a faulty request never waits for its turn. */
export interface Generation {
  prompt: RenderedPrompt;
  /** Tokens of earlier prompts and answers, which precede the prompt. */
  context: number[];
  /** Return the tokens of prompt and answer with the end. */
  returnsContext: boolean;
  sampling: Sampling;
  /** The request's limit of tokens; absent, 0 or negative: none. */
  numPredict: number | undefined;
  /** Undefined: no probabilities. */
  topLogprobs: number | undefined;
  grammar: string | undefined;
  stop: string[];
  output: OutputForm;
}

/**
 * Adds to a prompt what else the engine and the parser of the answer need.
 * @param options of the request over those of the model
 * @param parser the parser that the model's configuration names
 * @throws ApiError 400 for a schema or an option that cannot be followed
 */
export function prepareGeneration(
  prompt: RenderedPrompt,
  request: RunRequest,
  options: ModelOptions,
  conversation: PromptInput,
  parser: string | undefined,
): Generation {
  const grammar = formatGrammar(request.format);
  const samplerSettings = sampling(options);
  const output = outputForm({
    template: prompt.template,
    parser: conversation.raw ? 'passthrough' : parser,
    tools: conversation.tools,
    think: conversation.think,
  });
  return {
    prompt,
    context: conversation.context ?? [],
    returnsContext: conversation.returnsContext ?? false,
    sampling: samplerSettings,
    numPredict: options.num_predict,
    topLogprobs: request.logprobs ? request.topLogprobs : undefined,
    grammar,
    stop: [...(options.stop ?? []), ...output.stop],
    output,
  };
}
