// Fetches the weights that tests run on, before any test waits for them.
import { smollm2 } from '#test/support/weights.ts';

console.log(`weights: ${await smollm2()}`);
