import { defineConfig } from '@playwright/test';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { bindToCore } from '#test/support/processes/one-core.ts';

/** The tests that need WebGPU run on the software GPU, if it is set up (test/software-gpu/setup.sh). */
const softwareGpu = process.env.SOFTWARE_GPU_CHROMIUM;

/** Specs that run a model in a tab. */
const WITH_MODELS =
  /(app|bridge-clients|chats|dictation|embedding|first-steps|german|graph-editor|hearing|image-edits|image-workflow|images-view|model-files|models-settings|no-telemetry|official-frontend|read-aloud|script-examples|server-picker|two-tabs|workflows-view|webhook-bridge)\.spec/;
/** Specs that run a model without the app. */
const ENGINES = /engines\/(adapter|engine|gguf-vectors|model-faults|onnx|vision)\.spec/;

// `TABD_BIND_CORES` is for the project `models` alone. Only workers have an index.
if (process.env.TABD_BIND_CORES && process.env.TEST_PARALLEL_INDEX) {
  bindToCore(Number(process.env.TEST_PARALLEL_INDEX));
}

/**
 * Tests in a real browser with the built site. `TABD_QUICK=1` leaves out the test that streams for seven
 * minutes.
 */
export default defineConfig({
  testDir: 'test/browser',
  globalSetup: './test/browser/site/build-site.mjs',
  outputDir: process.env.TABD_BROWSER_RESULTS ?? 'test-results/browser',
  reporter: [['list']],
  // Real models share two cores with other tests, so that a second of work may take many seconds.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  workers: 2,
  // Tests that pass only when repeated are counted and named (scripts/test/counts.mjs).
  retries: 1,
  // A click on something that never appears fails with its own cause, not with that of the whole test.
  use: { browserName: 'chromium', launchOptions: await chromiumLaunch(), actionTimeout: 60_000 },
  projects: [
    ...(process.env.TABD_QUICK ? [] : [{ name: 'seven minutes', testMatch: /seven-minutes/ }]),
    { name: 'models', testMatch: WITH_MODELS },
    // One at a time and on all cores, because these tests are about the threads of a model.
    { name: 'engines', testMatch: ENGINES, workers: 1 },
    { name: 'browser', testIgnore: [/seven-minutes|\.gpu\.spec/, WITH_MODELS, ENGINES] },
    ...(softwareGpu
      ? [
          {
            name: 'software-gpu',
            testMatch: /\.gpu\.spec/,
            timeout: 600_000,
            use: {
              launchOptions: {
                ...(await chromiumLaunch((process.env.SOFTWARE_GPU_FLAGS ?? '').split(' ').filter(Boolean))),
                executablePath: softwareGpu,
              },
            },
          },
        ]
      : []),
  ],
});
