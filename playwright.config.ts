import { defineConfig } from '@playwright/test';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';

/** Where a software GPU is set up (test/software-gpu/setup.sh), the tests that need WebGPU run on it. */
const softwareGpu = process.env.SOFTWARE_GPU_CHROMIUM;

/** Specs that run a model in a tab. */
const WITH_MODELS =
  /(adapter|app|bridge-clients|chats|embedding|engine|first-steps|gguf-vectors|graph-editor|image-workflow|images-view|model-faults|models-settings|no-telemetry|onnx|server-picker|two-tabs|vision|workflows-view|webhook-bridge)\.spec/;

/** The real browser over the built site. `TABD_QUICK=1` leaves out the test that streams for seven minutes. */
export default defineConfig({
  testDir: 'test/browser',
  globalSetup: './test/browser/site/build-site.mjs',
  outputDir: 'test-results/browser',
  reporter: [['list']],
  // Real models on two cores beside other tests: what takes a second alone may take many here.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  workers: 2,
  // What passes only when repeated is counted and named (scripts/test/counts.mjs).
  retries: 1,
  use: { browserName: 'chromium', launchOptions: await chromiumLaunch() },
  projects: [
    ...(process.env.TABD_QUICK ? [] : [{ name: 'seven minutes', testMatch: /seven-minutes/ }]),
    // One at a time, for the same reason that `npm test` runs them alone.
    { name: 'models', testMatch: WITH_MODELS, workers: 1 },
    { name: 'browser', testIgnore: [/seven-minutes|\.gpu\.spec/, WITH_MODELS] },
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
