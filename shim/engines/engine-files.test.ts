import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { engineEntry } from './llama/engine-entry.ts';
import { imagesEntry } from './llama/images/images-entry.ts';
import { runtimeFiles, tensorEntry } from './onnx/tensor-entry.ts';

test('entries and files of child processes exist in a clone', () => {
  for (const { path } of [engineEntry(), imagesEntry(), tensorEntry()])
    expect(existsSync(path), path).toBe(true);
  for (const url of Object.values(runtimeFiles())) expect(existsSync(url), url.href).toBe(true);
});
