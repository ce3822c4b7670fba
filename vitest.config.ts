import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Tests that take seconds each: on real weights, with processes of their own, or until a limit of time is reached.
 * `npm run test:unit` leaves them out; `npm test` and `npx vitest run PATH` do not.
 */
const LONG = [
  '.weights',
  'core/image-workflows/models/upscale-model',
  'core/local-models/prompting/jinja-template',
  'core/local-models/prompting/random-schemas',
  'core/local-models/prompting/go-template/go-template',
  'core/local-models/registry/onnx/onnx',
  'core/local-models/registry/pull/hub-pull',
  'core/webhooks/expressions/expressions',
  'core/webhooks/sandbox/code',
  'node-shim/src/cli/serve',
  'node-shim/src/engine/gpus',
  'node-shim/src/ports/large-bodies',
  'node-shim/src/sources/pypi',
].map((end) => `${end}.test.ts`);

/** They begin, and the others fill what time is left beside them. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((end) => moduleId.endsWith(end));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: 'scripts/sandbox-library.mjs',
    include: ['{core,embed,node-shim,sw,web,workers,scripts}/**/*.test.ts', 'test/unit/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      ...(mode === 'quick' ? LONG.map((end) => `**/*${end}`) : []),
    ],
    // The files that a process runs share its modules: loading them anew took longer than most tests.
    isolate: false,
    // One file computes while another waits for a process, a disk or a timer.
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    // Tests run beside each other on few cores; none of them is about time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
}));
