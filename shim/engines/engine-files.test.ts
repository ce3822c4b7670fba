import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { engineEntry } from './llama/engine-entry.ts';
import { runtimeFiles, tensorEntry } from './onnx/tensor-entry.ts';

test('entries and files of child processes exist in a clone', () => {
  for (const { path } of [engineEntry(), tensorEntry()]) expect(existsSync(path), path).toBe(true);
  for (const url of Object.values(runtimeFiles())) expect(existsSync(url), url.href).toBe(true);
});
