/** The app in the other installed browsers: the relay, a chat on the CPU, and the ports answered by the tab. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeStateHome } from '../contract/transports/states.ts';
import { removeHome } from '../support/processes/node-home.ts';
import {
  FIREFOX,
  type OtherBrowser,
  openFirefox,
  openWebKit,
  WEBKIT,
} from '../support/processes/other-browser.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

interface Kind {
  name: string;
  open(url: string): Promise<OtherBrowser>;
}

const browsers: Kind[] = [
  ...(FIREFOX ? [{ name: 'Firefox', open: openFirefox }] : []),
  ...(WEBKIT ? [{ name: 'WebKitGTK', open: openWebKit }] : []),
];

let home: string;
let shim: RunningShim;
beforeAll(async () => {
  home = await makeStateHome('ready');
  shim = await startShim(home);
});
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

describe.each(browsers)('$name', ({ open }) => {
  let browser: OtherBrowser;
  beforeAll(async () => {
    browser = await open(`http://localhost:${shim.ports.app}/`);
    console.log(browser.name);
  });
  afterAll(() => browser?.close());

  test('the service worker answers the page', async () => {
    const answer = await browser.run<{ servedBy: string; version: string }>(`
      for (let tries = 0; tries < 200 && !navigator.serviceWorker?.controller; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      let response;
      for (let tries = 0; tries < 100; tries++) {
        response = await fetch('/api/version').catch(() => undefined);
        if (response?.ok) break;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return { servedBy: response.headers.get('x-tabd-served-by'), ...(await response.json()) };`);
    expect(answer.servedBy).toBe('tab');
    expect(answer.version).toMatch(/^\d+\.\d+/);
  });

  test('graphs write video and audio, and read them again', async () => {
    const results = await browser.run<{ failures: string[]; saved: string[]; shown: unknown }>(`
      const finished = async (prompt) => {
        const { prompt_id } = await (await fetch('/prompt', { method: 'POST', body: JSON.stringify({ prompt }) })).json();
        for (;;) {
          const { [prompt_id]: entry } = await (await fetch('/history/' + prompt_id)).json();
          if (entry) return entry;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      const images = { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 3, color: 15104040 } };
      const audio = { class_type: 'EmptyAudio', inputs: { duration: 1, sample_rate: 44100, channels: 2 } };
      const video = { class_type: 'CreateVideo', inputs: { images: ['images', 0], fps: 8, audio: ['audio', 0] } };
      const save = (class_type, inputs) => finished({ images, audio, video, save: { class_type, inputs } });
      const entries = [
        await save('SaveWEBM', { images: ['images', 0], filename_prefix: 'v', codec: 'vp9', fps: 8, crf: 20 }),
        await save('SaveVideo', { video: ['video', 0], filename_prefix: 'm', format: 'auto', codec: 'auto' }),
        await save('SaveAudioOpus', { audio: ['audio', 0], filename_prefix: 'o', quality: '64k' }),
      ];
      for (const file of ['v_00001_.webm', 'm_00001_.mp4']) {
        entries.push(await finished({
          video: { class_type: 'LoadVideo', inputs: { file: file + ' [output]' } },
          parts: { class_type: 'GetVideoComponents', inputs: { video: ['video', 0] } },
          shown: { class_type: 'PreviewImage', inputs: { images: ['parts', 0] } },
        }));
      }
      const outputs = entries.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ images = [], audio = [] }) => [...images, ...audio]));
      const shown = [];
      for (const file of outputs.filter(({ type }) => type === 'temp')) {
        const image = await createImageBitmap(await (await fetch('/view?' + new URLSearchParams(file))).blob());
        const context = new OffscreenCanvas(64, 64).getContext('2d');
        context.drawImage(image, 0, 0);
        shown.push([...context.getImageData(32, 32, 1, 1).data.slice(0, 3)]);
      }
      return {
        failures: entries.flatMap(({ status }) => status.messages.filter(([name]) => name === 'execution_error').map(([, { exception_message }]) => exception_message)),
        saved: outputs.filter(({ type }) => type === 'output').map(({ filename }) => filename),
        shown,
      };`);
    expect(results.failures).toEqual([]);
    expect(results.saved).toEqual(['v_00001_.webm', 'm_00001_.mp4', 'o_00001_.opus']);
    expect(results.shown).toHaveLength(6);
    for (const color of results.shown as number[][])
      for (const [channel, value] of [230, 120, 40].entries())
        expect(Math.abs(color[channel]! - value)).toBeLessThan(10);
  });

  test('a model is pulled and answers on the CPU, in a stream', async () => {
    const answer = await browser.run<{ text: string; lines: number; isolated: boolean }>(`
      const timer = setInterval(() => {
        const yes = document.querySelector('tabd-app')?.shadowRoot
          ?.querySelector('tabd-consent')?.shadowRoot?.querySelector('dialog[open] button.primary');
        yes?.click();
      }, 200);
      const pulled = await fetch('/api/pull', {
        method: 'POST',
        body: JSON.stringify({ model: 'smollm2:135m', stream: false }),
      });
      const outcome = await pulled.text();
      clearInterval(timer);
      if (!outcome.includes('success')) throw new Error(outcome);
      const response = await fetch('/api/chat', {
        method: 'POST',
        body: JSON.stringify({
          model: 'smollm2:135m',
          messages: [{ role: 'user', content: 'What is the capital of France?' }],
          options: { temperature: 0, num_predict: 10 },
        }),
      });
      const lines = (await response.text()).trim().split('\\n').map((line) => JSON.parse(line));
      const failed = lines.find((line) => line.error);
      if (failed) throw new Error(failed.error);
      return {
        text: lines.map((line) => line.message.content).join(''),
        lines: lines.length,
        isolated: crossOriginIsolated,
      };`);
    expect(answer.text).toContain('Paris');
    expect(answer.lines).toBeGreaterThan(3);
    console.log(`${browser.name}: isolated ${answer.isolated}`);
  });

  test('an abort stops the work, and the model is free for the next request', async () => {
    const text = await browser.run<string>(`
      const ask = (content, more) => fetch('/api/chat', {
        method: 'POST',
        body: JSON.stringify({ model: 'smollm2:135m', messages: [{ role: 'user', content }], ...more }),
        signal: more.signal,
      });
      const leave = new AbortController();
      const long = { options: { num_predict: 100000 }, signal: leave.signal };
      const story = await ask('Write a very long story about a dragon.', long);
      await story.body.getReader().read();
      leave.abort();
      const short = { options: { temperature: 0, num_predict: 10 }, stream: false };
      return (await (await ask('What is the capital of France?', short)).json()).message.content;`);
    expect(text).toContain('Paris');
  });

  test('the tab answers the ports', async () => {
    await browser.run(`
      const answer = await fetch('/tabd/answering', { method: 'POST', body: '{"by":"tab"}' });
      const { token, error } = await answer.json();
      if (error) throw new Error(error);
      location.hash = '#/bridge?token=' + token;
      setTimeout(() => location.reload(), 100);`);
    const tags = () => fetch(`http://127.0.0.1:${shim.ports['local-models']}/api/tags`);
    await expect
      .poll(async () => (await tags()).headers.get('x-tabd-served-by'), { timeout: 60_000 })
      .toBe('tab');
    expect(await (await tags()).text()).toContain('smollm2:135m');
    await browser.run(`await fetch('/tabd/answering', { method: 'POST', body: '{"by":"node"}' });`);
    await expect.poll(async () => (await tags()).headers.get('x-tabd-served-by')).toBe('node');
  });
});

test('there is a browser to test', () => expect(browsers.length).toBeGreaterThan(0));
