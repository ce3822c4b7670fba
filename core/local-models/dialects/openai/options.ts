import type { ModelOptions } from '../../base/model-options.ts';

/** Fields of chats and completions that become options, besides `top_p` and `stop`, which differ. */
interface OptionFields {
  max_tokens?: number;
  seed?: number;
  temperature?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
}

/** OpenAI's default temperature is 1, unlike Ollama's. Absent fields leave the model's own values. */
export function readSharedOptions(body: OptionFields): ModelOptions {
  const options: ModelOptions = { temperature: body.temperature ?? 1 };
  if (body.max_tokens !== undefined) options.num_predict = body.max_tokens;
  if (body.seed !== undefined) options.seed = body.seed;
  if (body.frequency_penalty !== undefined) options.frequency_penalty = body.frequency_penalty;
  if (body.presence_penalty !== undefined) options.presence_penalty = body.presence_penalty;
  return options;
}
