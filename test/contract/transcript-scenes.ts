/** The steps that led to those transcripts that are not of a single prompt. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeardSocket } from './socket.ts';
import { isEnd, remember, type Stage, type Transcript } from './transcripts.ts';

type Message = string | Uint8Array;
type Scene = (stage: Stage, transcript: Transcript) => Promise<Message[]>;

const LIMIT = 60_000;
const FLAGS = JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } });

export const SCENES: Record<string, Scene> = {
  'connect-empty-clientId': (stage, { messages }) => greeted(stage, '', [], messages.length),
  'connect-with-clientId': (stage, all) => greeted(stage, sidOf(all), [], all.messages.length),
  'feature-flags-after-array': (stage, all) =>
    greeted(stage, sidOf(all), ['[1, 2]', FLAGS], all.messages.length),
  'feature-flags-second-message': (stage, all) =>
    greeted(stage, sidOf(all), ['{"type": "hello"}', FLAGS], all.messages.length),

  async 'opt-client_id-other-socket.seen-by-other'(stage, { messages }) {
    const other = await stage.connect('/ws?clientId=other');
    await submit(stage, 'somebody', picture(2));
    await other.until((heard) => heard.length > messages.length, LIMIT);
    await sleep(100);
    other.close();
    return other.heard.slice(1);
  },

  async 'reconnect-while-running'(stage) {
    const first = await startLong(stage, 'q-long');
    for (const color of [1, 2, 3]) await submit(stage, `wait-${color}`, picture(color));
    const again = await stage.connect('/ws?clientId=A');
    await again.until((heard) => heard.length >= 2, LIMIT);
    await stage.post('/queue', { clear: true });
    await stage.post('/interrupt', {});
    await first.until((heard) => heard.some(isEnd), LIMIT);
    again.close();
    first.close();
    return again.heard.slice(0, 2);
  },

  async 'interrupt-and-queue-order'(stage) {
    const first = await startLong(stage, 'q-long', ['4', '5', '7']);
    await submit(stage, 'q-p2', picture(102));
    await submit(stage, 'q-p3', picture(103), { front: true });
    await submit(stage, 'q-p4', picture(104), { number: -1000 });
    const socket = await stage.connect('/ws?clientId=A');
    await socket.until((heard) => heard.length >= 2, LIMIT);
    await stage.post('/interrupt', { prompt_id: 'q-p4' });
    await stage.post('/interrupt', { prompt_id: 'q-long' });
    await socket.until((heard) => heard.filter(isEnd).length === 4, LIMIT);
    socket.close();
    first.close();
    return socket.heard.filter((message) => !isProgressOf('q-long', message));
  },

  async 'interrupt-global-and-clear'(stage) {
    const socket = await stage.connect('/ws?clientId=A');
    await stage.post('/free', { free_memory: true });
    await submit(stage, 'q-long2', long(101));
    await socket.until((heard) => heard.some((message) => /"executing"/.test(String(message))), LIMIT);
    await submit(stage, 'q-x', picture(5));
    await submit(stage, 'q-y', picture(6));
    await socket.until(
      (heard) => heard.some((message) => isProgressOf('q-long2', message, 'progress')),
      LIMIT,
    );
    await stage.post('/queue', { clear: true });
    await stage.post('/interrupt', {});
    await socket.until((heard) => heard.some(isEnd), LIMIT);
    socket.close();
    return socket.heard.slice(1).filter((message) => !isProgressOf('q-long2', message));
  },

  async 'interrupt-no-client_id-seen-by-other'(stage, { messages }) {
    const other = await stage.connect('/ws?clientId=other');
    await stage.post('/prompt', { prompt: long(102), prompt_id: 'q-nobody' });
    await other.until(
      (heard) => heard.some((message) => isProgressOf('q-nobody', message, 'progress')),
      LIMIT,
    );
    await stage.post('/interrupt', {});
    await other.until(
      (heard) => heard.some((message) => /execution_interrupted/.test(String(message))),
      LIMIT,
    );
    other.close();
    return other.heard.filter((message) => !isProgressOf('q-nobody', message)).slice(0, messages.length);
  },
};

/** A client that sends messages and receives answers. */
async function greeted(stage: Stage, sid: string, says: string[], count: number): Promise<Message[]> {
  const socket = await stage.connect(`/ws?clientId=${sid}`);
  await socket.until((heard) => heard.length > 0, LIMIT);
  for (const text of says) socket.send(text);
  await socket.until((heard) => heard.length >= count, LIMIT);
  // A surplus message would arrive now.
  await sleep(100);
  socket.close();
  return socket.heard;
}

const sidOf = ({ messages }: Transcript): string => messages[0]!.json.data.sid;

/** Client A's prompt of thousands of steps, while it is in the sampler. */
async function startLong(stage: Stage, id: string, cached: string[] = []): Promise<HeardSocket> {
  await remember(stage, long(100), cached);
  const socket = await stage.connect('/ws?clientId=A');
  await submit(stage, id, long(100));
  await socket.until((heard) => heard.some((message) => isProgressOf(id, message, 'progress')), LIMIT);
  return socket;
}

function submit(stage: Stage, id: string, prompt: object, more: object = {}): Promise<string> {
  return stage.post('/prompt', { prompt, client_id: 'A', prompt_id: id, ...more });
}

function isProgressOf(id: string, message: Message, only?: string): boolean {
  if (typeof message !== 'string') return false;
  const { type, data } = JSON.parse(message);
  return data.prompt_id === id && (only ? type === only : /^progress/.test(type));
}

const picture = (color: number) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'g' } },
});

function long(seed: number) {
  const text = (words: string) => ({ class_type: 'CLIPTextEncode', inputs: { text: words, clip: ['4', 1] } });
  const sampler = { seed, steps: 3000, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 };
  return {
    '3': {
      class_type: 'KSampler',
      inputs: { ...sampler, model: ['4', 0], positive: ['6', 0], negative: ['7', 0], latent_image: ['5', 0] },
    },
    '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'tiny_sd15.safetensors' } },
    '5': { class_type: 'EmptyLatentImage', inputs: { batch_size: 1, height: 64, width: 64 } },
    '6': text('masterpiece best quality man'),
    '7': text('bad hands'),
    '8': { class_type: 'VAEDecode', inputs: { samples: ['3', 0], vae: ['4', 2] } },
    '9': { class_type: 'SaveImage', inputs: { filename_prefix: 'ComfyUI', images: ['8', 0] } },
  };
}
