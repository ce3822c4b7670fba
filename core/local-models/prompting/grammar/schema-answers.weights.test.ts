/**
 * Answers of a real model under random JSON schemas are valid. The engine reads the grammars here, instead of tabd's
 * own recognizer. `TABD_SCHEMAS=200` sets the number of schemas.
 */

import { stat } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LanguageModel } from '#core/host';
import { schemaGrammar } from '#core/local-models/prompting/grammar/json-schema-grammar.ts';
import { nodeLlamaCppEngine } from '#shim/engines/llama/node-llama-cpp.ts';
import { greedySampling } from '#test/support/local-models/greedy-sampling.ts';
import { randomNumbers, randomSchema } from '#test/support/local-models/random-schema.ts';
import { smollm2, smollm2Digest } from '#test/support/model-files/weights.ts';

const SCHEMAS = Number(process.env.TABD_SCHEMAS ?? 8);
const CONTEXT = 2048;
const TOKENS = 1200;
const never = new AbortController().signal;

let model: LanguageModel;
beforeAll(async () => {
  const path = await smollm2();
  const engine = nodeLlamaCppEngine({ pathOf: () => path });
  const options = { contextLength: CONTEXT, batchSize: 512, gpuLayers: 0, threads: 0 };
  const files = [
    { role: 'weights' as const, digest: smollm2Digest as `sha256:${string}`, size: (await stat(path)).size },
  ];
  model = await engine.load(files, options, never, () => {});
}, 120_000);
afterAll(() => model?.dispose());

async function answer(
  schema: Record<string, unknown>,
  seed: number,
): Promise<{ text: string; reason: string }> {
  const question = `Answer in JSON that follows this schema: ${JSON.stringify(schema).slice(0, 1500)}`;
  const sampling = greedySampling({ seed, temperature: 0.8 });
  let text = '';
  let reason = '';
  const request = {
    prompt: `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`,
    grammar: schemaGrammar(schema),
    sampling,
    maxTokens: TOKENS,
    keep: 4,
    shift: true,
  };
  for await (const event of model.generate(request, never)) {
    if (event.type === 'token') text += event.text;
    if (event.type === 'end') reason = event.reason;
  }
  return { text, reason };
}

test(
  `${SCHEMAS} random schemas: every answer is valid`,
  async () => {
    const wrong: unknown[] = [];
    let tokens = 0;
    for (let seed = 1; seed <= SCHEMAS; seed++) {
      const schema = randomSchema(randomNumbers(seed), { short: true });
      const { text, reason } = await answer(schema, seed);
      tokens += text.length;
      const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 6 });
      addFormats.default(ajv);
      try {
        if (!ajv.validate(schema, JSON.parse(text))) throw new Error(ajv.errorsText());
      } catch (error) {
        wrong.push({ seed, schema, text, reason, error: (error as Error).message });
      }
    }
    expect(wrong).toEqual([]);
    expect(tokens).toBeGreaterThan(SCHEMAS);
  },
  60_000 + SCHEMAS * 40_000,
);
