/** The tables of safetensors files. */
import { ModelCorrupt } from '#core/host';
import { readSafetensors, readSafetensorsTexts } from '#core/tensors';
import { check, fuzzTarget, rangeReader } from '../target.ts';

export default fuzzTarget({
  invariant: 'tensors lie inside the file, and do not overlap',
  seeds: () => [
    file(
      '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F16","shape":[],"data_offsets":[8,10]}}',
      10,
    ),
    file('{"__metadata__":{"x":"{}"},"q":{"dtype":"F8_E4M3","shape":[1,3],"data_offsets":[0,3]}}  ', 3),
  ],
  words: ['9007199254740993', '1e308', '__proto__', '"shape":[]'],
  refusals: [ModelCorrupt],
  async run(input) {
    const read = rangeReader(input);
    const texts = await readSafetensorsTexts(input.length, read);
    check(
      Object.values(texts).every((text) => typeof text === 'string'),
      'metadata is text',
    );
    const entries = await readSafetensors(input.length, read);
    for (const { name, start, end } of entries) {
      check(start >= 8 && start <= end && end <= input.length, 'tensors lie inside the file', name);
      const other = entries.find((entry) => entry.name !== name && entry.start < end && start < entry.end);
      check(other === undefined, 'tensors do not overlap', name);
    }
  },
});

function file(header: string, bytes: number): Uint8Array {
  const result = new Uint8Array(8 + header.length + bytes);
  new DataView(result.buffer).setBigUint64(0, BigInt(header.length), true);
  result.set(new TextEncoder().encode(header), 8);
  return result;
}
