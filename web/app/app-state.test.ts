import { expect, it } from 'vitest';
import { modelNameOf } from './app-state.ts';

it.each([
  ['SmolLM2-135M-Instruct.Q4_1.gguf', 'smollm2-135m-instruct:q4_1'],
  ['Qwen3-0.6B-Q4_K_M.gguf', 'qwen3-0.6b:q4_k_m'],
  ['my model (1).gguf', 'my-model-1-'],
  ['llama-f16.gguf', 'llama:f16'],
  ['plain', 'plain'],
  ['§.gguf', 'model'],
])('names the file %s %s', (file, name) => expect(modelNameOf(file)).toBe(name));
