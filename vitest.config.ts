import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests on weights. */
const WEIGHTS = '**/*.weights.test.ts';
/** Those of image workflows have small networks. */
const NETWORKS = `core/image-workflows/${WEIGHTS}`;

/**
 * Tests that take seconds each, because they start processes or wait for a time limit. `npm run test:unit` skips them
 * and those with real weights. `npm test` and `npx vitest run PATH` include them.
 */
const LONG = [
  'core/audio/decode-speech',
  'core/image-workflows/models/upscaling/upscale-model',
  'core/image-workflows/nodes/audio/media-files',
  'core/image-workflows/nodes/video/files',
  'core/local-models/dialects/openai/hearing/hearing',
  'core/local-models/dialects/openai/speaking/speaking',
  'core/local-models/prompting/templates/jinja/jinja-template',
  'core/local-models/prompting/grammar/random-schemas',
  'core/local-models/prompting/templates/go-template/go-template',
  'core/local-models/registry/formats/onnx/onnx',
  'core/local-models/registry/pull/hub-pull',
  'core/webhooks/expressions/expressions',
  'core/webhooks/sandbox/code-runner',
  'core/webhooks/sandbox/python/python',
  'shim/cli/serve/serve',
  'shim/cluster/clocks',
  'shim/cluster/cluster',
  'shim/cluster/store-faults',
  'shim/cluster/images',
  'shim/cluster/kill',
  'shim/cluster/left-calls',
  'shim/cluster/network-split',
  'shim/cluster/overview',
  'shim/cluster/secrets',
  'shim/cluster/shared-work',
  'shim/engines/llama/gpus',
  'shim/media/media',
  'shim/ports/large-bodies',
  'shim/sandbox/python-threads',
  'shim/sources/pypi',
  'test/contract/host/migrate',
  'test/contract/host/postgres-records',
  'test/contract/host/s3-files',
  'test/unit/package-examples',
  'test/unit/sandbox-attacks',
  'test/unit/servers/chat-memory',
  'test/unit/servers/file-and-mail',
  'test/unit/servers/mariadb',
  'test/unit/servers/pgvector',
  'test/unit/servers/postgres',
  'test/unit/servers/queues',
  'test/unit/servers/redis',
].map((end) => `${end}.test.ts`);

/** Starts the long tests first, so that the short ones fill the gaps. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((end) => moduleId.endsWith(end));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig(({ mode }) => {
  const exclude = ['**/node_modules/**', '**/dist/**'];
  const models = {
    extends: true as const,
    test: {
      name: 'models',
      include: [`{core,shim,test/unit}/${WEIGHTS}`],
      exclude: [...exclude, NETWORKS],
      // The threads of a model wait for each other by spinning. On two cores, two concurrent models take four times as
      // long as one after the other.
      maxWorkers: 1,
      sequence: { groupOrder: 1 },
    },
  };
  const networks = {
    extends: true as const,
    test: {
      name: 'networks',
      include: [NETWORKS],
      // Most of their time goes into processes that start and graphs that are written, on one core each.
      maxWorkers: 2,
      sequence: { groupOrder: 2 },
    },
  };
  const others = {
    extends: true as const,
    test: {
      name: 'unit',
      include: [
        '{core,relay,shim,sw,tools,web,workers,scripts,bench}/**/*.test.ts',
        'test/{unit,support,soak,contract/compare,contract/host}/**/*.test.ts',
      ],
      exclude: [...exclude, WEIGHTS, ...(mode === 'quick' ? LONG.map((end) => `**/*${end}`) : [])],
      // Files compute while others wait for a process, a disk or a timer.
      maxWorkers: 3,
      sequence: { groupOrder: 3 },
    },
  };
  return {
    test: {
      globalSetup: 'scripts/generated-files.mjs',
      exclude,
      // The files of a process share its modules, because loading them takes longer than most tests.
      isolate: false,
      sequence: { sequencer: LongFirst },
      // Concurrent tests share few cores, and no test measures time.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      projects: mode === 'quick' ? [others] : [models, networks, others],
    },
  };
});
