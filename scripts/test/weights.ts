// Fetches the weights that tests run on, before any test waits for them.
import { smollm2 } from '#test/support/model-files/weights.ts';

console.log(`weights: ${await smollm2()}`);
