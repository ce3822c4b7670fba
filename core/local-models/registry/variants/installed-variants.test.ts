import { expect, test } from 'vitest';
import type { ModelFormat } from '#core/host';
import type { InstalledModel } from '../../base/installed-model.ts';
import { parseName } from '../names/model-name.ts';
import {
  allVariants,
  rateInstalledVariants,
  withBestVariant,
  withOtherVariants,
} from './installed-variants.ts';
import type { VariantDevice } from './rate-variant.ts';

const half: VariantDevice = { formats: ['gguf', 'mlc'], gpu: true, f16: true };
const single: VariantDevice = { ...half, f16: false };

function model(digest: string, format: ModelFormat, quantization?: string): InstalledModel {
  return {
    name: parseName('tiny'),
    digest,
    size: 1,
    modifiedAt: 1,
    format,
    files: [],
    licences: [],
    parameters: {},
    messages: [],
    ...(quantization === undefined ? {} : { config: { quantization } }),
    origin: '',
    capabilities: [],
  };
}

const digests = (installed: InstalledModel) => allVariants(installed).map(({ digest }) => digest);
const GGUF = model('gguf', 'gguf');
const HALF = model('half', 'mlc', 'q4f16_1');
const SINGLE = model('single', 'mlc', 'q4f32_1');
const ALL = withOtherVariants(GGUF, withOtherVariants(HALF, SINGLE));

test('variants have neither a name nor variants of their own', () => {
  expect(digests(ALL)).toEqual(['gguf', 'half', 'single']);
  for (const variant of allVariants(ALL)) {
    expect(variant).not.toHaveProperty('name');
    expect(variant).not.toHaveProperty('variants');
  }
});

test.each<[string, InstalledModel, InstalledModel | undefined, string[]]>([
  ['no former record', GGUF, undefined, ['gguf']],
  ['a former record of another format', GGUF, HALF, ['gguf', 'half']],
  ['another file of GGUF', model('new', 'gguf', 'Q8_0'), ALL, ['new', 'half', 'single']],
  ['the same quantization of MLC', model('new', 'mlc', 'q4f16_1'), ALL, ['new', 'gguf', 'single']],
  ['another quantization of MLC', model('new', 'mlc', 'q0f16'), HALF, ['new', 'half']],
  ['MLC of unknown quantization', model('new', 'mlc'), model('old', 'mlc'), ['new']],
])('installing over %s', (_, installed, former, expected) => {
  const result = withOtherVariants(installed, former);
  expect(digests(result)).toEqual(expected);
  expect('variants' in result).toBe(expected.length > 1);
});

test.each<[string, VariantDevice, string[]]>([
  ['with 16-bit floats', half, ['gguf', 'half', 'single']],
  ['without 16-bit floats', single, ['single', 'gguf', 'half']],
  ['that runs no format', { ...half, formats: [] }, ['gguf', 'half', 'single']],
])('the best variant comes first on a device %s', (_, device, expected) => {
  const best = withBestVariant(ALL, device);
  expect(digests(best)).toEqual(expected);
  expect(best.name).toEqual(ALL.name);
});

test('the choice does not depend on an earlier one', () => {
  expect(digests(withBestVariant(withBestVariant(ALL, single), half))).toEqual(['gguf', 'half', 'single']);
});

test('a model without variants stays the same object', () => {
  expect(withBestVariant(HALF, single)).toBe(HALF);
});

test('rates every variant; the first one is chosen even where it cannot run', () => {
  const rated = rateInstalledVariants(withOtherVariants(HALF, SINGLE), single);
  expect(rated.map(({ model: { digest }, chosen, rank }) => [digest, chosen, rank])).toEqual([
    ['half', true, undefined],
    ['single', false, 1.5],
  ]);
});
