/** Audio files of all kinds are written down in a tab. */
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { makeStateHome } from '../../contract/transports/states.ts';
import { HEARING_MODEL } from '../../support/local-models/whisper/hearing-host.ts';
import { TINY_TEXT } from '../../support/local-models/whisper/tiny-whisper.ts';
import { removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { openAppTab, pullIntoTab } from '../../support/processes/tab.ts';
import { toneFile, transcribeInTab } from '../support/hearing-tab.ts';

const expect = quick.configure({ timeout: 90_000 });

let home: string;
let shim: RunningShim;
let context: BrowserContext;
let page: Page;

test.describe.configure({ mode: 'serial', timeout: 300_000 });

test.beforeAll(async ({ browser }) => {
  home = await makeStateHome('hears');
  shim = await startShim(home);
  context = await browser.newContext();
  page = await openAppTab(context, `http://localhost:${shim.ports.app}`);
  await pullIntoTab(page, HEARING_MODEL);
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

for (const [name, ...options] of [
  ['a.wav'],
  ['a.mp3'],
  ['a.flac'],
  ['a.opus'],
  ['a.ogg', '-c:a', 'libvorbis'],
  ['a.webm', '-c:a', 'libopus'],
  ['a.mka', '-c:a', 'libopus'],
] as [string, ...string[]][])
  test(name, async () => {
    const file = toneFile(name, 1.5, ...options);
    const { status, body } = await transcribeInTab(page, file, name, { response_format: 'verbose_json' });
    expect([status, body.text]).toEqual([200, TINY_TEXT]);
    expect(body.duration).toBeGreaterThan(1.4);
    expect(body.duration).toBeLessThan(1.6);
  });

test('an hour of compressed speech fits, and a page that leaves ends the work', async () => {
  const file = toneFile('a.opus', 3600, '-b:a', '6k', '-ac', '1', '-compression_level', '0');
  expect(file.length).toBeLessThan(20e6);
  const started = page.evaluate(
    async ({ base64, model }) => {
      const stop = new AbortController();
      const body = new FormData();
      body.append('model', model);
      body.append('stream', 'true');
      body.append('file', new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], 'a.opus'));
      const response = await fetch('/v1/audio/transcriptions', { method: 'POST', body, signal: stop.signal });
      const first = await response.body!.getReader().read();
      stop.abort();
      return new TextDecoder().decode(first.value);
    },
    { base64: file.toString('base64'), model: HEARING_MODEL },
  );
  expect(await started).toContain('transcript.text.delta');
  // The model has one turn: it would be taken for minutes.
  const { body } = await transcribeInTab(page, toneFile('a.wav', 1), 'a.wav');
  expect(body.text).toBe(TINY_TEXT);
});

test('files that no browser reads are refused, and the next one is read', async () => {
  for (const bytes of [Buffer.from('hello'), toneFile('a.mp3', 1).subarray(0, 40), Buffer.alloc(5000, 7)]) {
    const { status, body } = await transcribeInTab(page, bytes, 'a.mp3');
    expect([status, body.error.type, body.error.param]).toEqual([400, 'invalid_request_error', 'file']);
  }
  const { body } = await transcribeInTab(page, toneFile('a.mp3', 1), 'a.mp3');
  expect(body.text).toBe(TINY_TEXT);
});
