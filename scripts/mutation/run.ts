// `npm run mutation -- ROOM [GLOB]` changes the sources of a room in small ways, one at a time. It counts the
// changes that the room's tests notice, and lists the others. rooms.json names the tests of each room.
import { Stryker } from '@stryker-mutator/core';
import rooms from './rooms.json' with { type: 'json' };

/** The share of mutants, in percent, that the tests must notice. */
const MIN_PERCENT = 75;

const [room = '', glob = '**/*.ts'] = process.argv.slice(2);
if (!Object.hasOwn(rooms, room)) {
  console.error(`choose a room: ${Object.keys(rooms).join(', ')}`);
  process.exit(2);
}
process.env.TABD_MUTATION_TESTS = rooms[room as keyof typeof rooms].join(' ');
const report = `.cache/mutation/${room.replaceAll('/', '-')}`;
await new Stryker({
  mutate: [`${room}/${glob}`, `!${room}/**/*.test.ts`, `!${room}/**/index.ts`],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // Code that runs once, while a module loads, would need a run of all tests for each of its mutants.
  ignoreStatic: true,
  concurrency: 2,
  tempDirName: '.cache/stryker',
  // The leading slashes restrict the patterns to the root, because `core` has folders of the same names.
  ignorePatterns: [
    '/dist',
    '/shim/dist',
    '/models',
    '/docs',
    '/examples',
    '/.cache',
    '/test-results',
    '/training',
  ],
  reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
  clearTextReporter: { reportTests: false, allowColor: false, logTests: false },
  htmlReporter: { fileName: `${report}.html` },
  jsonReporter: { fileName: `${report}.json` },
  thresholds: { high: 90, low: MIN_PERCENT, break: MIN_PERCENT },
  timeoutMS: 3_000,
  allowConsoleColors: false,
}).runMutationTest();
