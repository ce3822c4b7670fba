/** Repeats the steps of the transcripts that recorded more than a single prompt. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageSocket } from './socket.ts';
import { isEnd, remember, type Stage, type Transcript } from './transcript.ts';

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
    await submit(stage, 'somebody', imagePrompt(2));
    await other.until((received) => received.length > messages.length, LIMIT);
    await sleep(100);
    other.close();
    return other.received.slice(1);
  },

  async 'reconnect-while-running'(stage) {
    const first = await startLong(stage, 'q-long');
    for (const color of [1, 2, 3]) await submit(stage, `wait-${color}`, imagePrompt(color));
    const again = await stage.connect('/ws?clientId=A');
    await again.until((received) => received.length >= 2, LIMIT);
    await stage.post('/queue', { clear: true });
    await stage.post('/interrupt', {});
    await first.until((received) => received.some(isEnd), LIMIT);
    again.close();
    first.close();
    return again.received.slice(0, 2);
  },

  async 'interrupt-and-queue-order'(stage) {
    const first = await startLong(stage, 'q-long', ['4', '5', '7']);
    await submit(stage, 'q-p2', imagePrompt(102));
    await submit(stage, 'q-p3', imagePrompt(103), { front: true });
    await submit(stage, 'q-p4', imagePrompt(104), { number: -1000 });
    const socket = await stage.connect('/ws?clientId=A');
    await socket.until((received) => received.length >= 2, LIMIT);
    await stage.post('/interrupt', { prompt_id: 'q-p4' });
    await stage.post('/interrupt', { prompt_id: 'q-long' });
    await socket.until((received) => received.filter(isEnd).length === 4, LIMIT);
    socket.close();
    first.close();
    return socket.received.filter((message) => !isProgressOf('q-long', message));
  },

  async 'interrupt-global-and-clear'(stage) {
    const socket = await stage.connect('/ws?clientId=A');
    await stage.post('/free', { free_memory: true });
    await submit(stage, 'q-long2', long(101));
    await socket.until((received) => received.some((message) => /"executing"/.test(String(message))), LIMIT);
    await submit(stage, 'q-x', imagePrompt(5));
    await submit(stage, 'q-y', imagePrompt(6));
    await socket.until(
      (received) => received.some((message) => isProgressOf('q-long2', message, 'progress')),
      LIMIT,
    );
    await stage.post('/queue', { clear: true });
    await stage.post('/interrupt', {});
    await socket.until((received) => received.some(isEnd), LIMIT);
    socket.close();
    return socket.received.slice(1).filter((message) => !isProgressOf('q-long2', message));
  },

  async 'interrupt-no-client_id-seen-by-other'(stage, { messages }) {
    const other = await stage.connect('/ws?clientId=other');
    await stage.post('/prompt', { prompt: long(102), prompt_id: 'q-nobody' });
    await other.until(
      (received) => received.some((message) => isProgressOf('q-nobody', message, 'progress')),
      LIMIT,
    );
    await stage.post('/interrupt', {});
    await other.until(
      (received) => received.some((message) => /execution_interrupted/.test(String(message))),
      LIMIT,
    );
    other.close();
    return other.received.filter((message) => !isProgressOf('q-nobody', message)).slice(0, messages.length);
  },
};

/** A client that sends messages and receives answers. */
async function greeted(stage: Stage, sid: string, says: string[], count: number): Promise<Message[]> {
  const socket = await stage.connect(`/ws?clientId=${sid}`);
  await socket.until((received) => received.length > 0, LIMIT);
  for (const text of says) socket.send(text);
  await socket.until((received) => received.length >= count, LIMIT);
  // A surplus message would arrive now.
  await sleep(100);
  socket.close();
  return socket.received;
}

const sidOf = ({ messages }: Transcript): string => messages[0]!.json.data.sid;

/** Client A's prompt of thousands of steps, while it is in the sampler. */
async function startLong(stage: Stage, id: string, cached: string[] = []): Promise<MessageSocket> {
  await remember(stage, long(100), cached);
  const socket = await stage.connect('/ws?clientId=A');
  await submit(stage, id, long(100));
  await socket.until((received) => received.some((message) => isProgressOf(id, message, 'progress')), LIMIT);
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

const imagePrompt = (color: number) => ({
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
