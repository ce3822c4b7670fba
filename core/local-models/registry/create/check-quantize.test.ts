import { expect, test } from 'vitest';
import { checkQuantize } from './check-quantize.ts';

test.each([
  [undefined, 'Q4_1'],
  ['', 'Q4_1'],
  ['F16', 'F16'],
  ['f32', 'F32'],
])('the option %s is valid for weights of %s', (option, quantization) => {
  expect(() => checkQuantize(option, quantization)).not.toThrow();
});

test.each<[string, string, number, string]>([
  [
    'q5_0',
    'F16',
    500,
    'unsupported quantization type Q5_0 - supported types are F32, F16, Q4_K_S, Q4_K_M, Q8_0',
  ],
  ['BF16', 'BF16', 500, 'unsupported quantization type BF16'],
  ['Q8_0', 'Q8_0', 500, 'quantization is only supported for F16, BF16 and F32 models'],
  ['q4_K_M', 'unknown', 500, 'quantization is only supported for F16, BF16 and F32 models'],
  ['q4_k_m', 'F16', 501, 'this server has no quantizer: make a Q4_K_M file of the model'],
  ['F16', 'BF16', 501, 'this server has no quantizer: make a F16 file of the model'],
])('the option %s for weights of %s has the status %i', (option, quantization, status, message) => {
  const check = () => checkQuantize(option, quantization);
  expect(check).toThrow(message);
  expect(check).toThrow(expect.objectContaining({ status }));
});
