import { expect, test } from 'vitest';
import { nodeTensorEngine } from './index.ts';

const graph = { role: 'weights' as const, name: 'g.onnx', size: 0, bytes: new Uint8Array() };
const never = new AbortController().signal;
const paths = { pathOf: () => '', placeOf: () => '' };

test('starts no process for a GPU where none was found, or where the search failed', async () => {
  for (const gpus of [undefined, async () => [], () => Promise.reject(new Error('no driver'))]) {
    const opening = nodeTensorEngine({ ...paths, ...(gpus && { gpus }) }).open(
      [graph],
      { providers: ['webgpu'] },
      never,
    );
    await expect(opening).rejects.toMatchObject({
      name: 'ProviderUnusable',
      message: expect.stringContaining('no GPU was found'),
    });
  }
});
