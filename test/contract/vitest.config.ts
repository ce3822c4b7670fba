import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Every row on one transport takes minutes, all the others together take about as long as one of these. */
const LONGEST = ['contract/bridge', 'contract/worker', 'contract/port', 'faults/shim', 'clients/python'];

/** With two files at a time the longest come first, or one would run alone in the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index < 0 ? LONGEST.length : index;
    };
    return [...files].sort((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

const transports = process.env.TABD_CONTRACT?.split(',');

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    globalSetup: 'scripts/sandbox-library.mjs',
    include: transports
      ? transports.map((name) => `test/contract/${name}.test.ts`)
      : ['test/{contract,clients,faults}/**/*.test.ts'],
    // Loading the model for the first time, or a browser, takes a while on a small machine.
    testTimeout: 240_000,
    hookTimeout: 180_000,
    // One file computes while another waits for a process, a browser or a page.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
