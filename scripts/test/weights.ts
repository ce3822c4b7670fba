// Downloads the weights for the tests, before a test has to wait for them.
import { smollm2 } from '#test/support/model-files/weights.ts';

console.log(`weights: ${await smollm2()}`);
