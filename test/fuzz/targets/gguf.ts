/** The headers of GGUF files. */
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import { readGgufTable } from '#core/image-workflows/models/weight-files/gguf-table.ts';
import { readGgufHeader } from '#core/tensors';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { check, fuzzTarget, rangeReader } from '../target.ts';

export default fuzzTarget({
  invariant: 'each tensor lies inside the file',
  seeds: () => [
    tinyGguf(),
    tinyGguf({ tensors: [{ name: 'a', shape: [2, 2], type: 'F32' }], metadata: {} }),
    tinyGguf({
      tensors: [{ name: 'b', shape: [32], type: 'Q8_0' }],
      metadata: { 'comfy.gguf.orig_shape.b': { type: 'array', of: 'int32', value: [4, 8] } },
    }),
  ],
  refusals: [ModelCorrupt, ModelUnsupported],
  async run(input) {
    const stream = new Blob([input]).stream();
    for (const { name, start, end } of (await readGgufHeader(stream, input.length, () => true)).tensors)
      check(start >= 0 && start <= end && end <= input.length, 'tensors lie inside the file', name);
    for (const { name, start, end } of await readGgufTable(input.length, rangeReader(input)))
      check(start >= 0 && start <= end && end <= input.length, 'tensors lie inside the file', name);
  },
});
