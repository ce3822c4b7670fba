import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeFlac } from '#core/audio';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { GraphBuilder } from '#core/tensors';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { nodeMedia } from '#shim/media/media-codecs.ts';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { graphFor } from '#test/support/image-workflows/every-node.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { writeTinyDiffusion } from '#test/support/model-files/tiny-diffusion.ts';
import { writeImageEncoder, writeStyleModel } from '#test/support/model-files/tiny-image-encoder.ts';
import { writeControlNet, writeTextEncoder, writeUnet } from '#test/support/model-files/tiny-parts.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { StoredFiles } from '../files/stored-files.ts';
import type { AudioEncoderOutput } from '../values/audio-encoder.ts';
import type { LoraWeights } from '../values/lora-weights.ts';
import { elementCount, type FloatTensor, full, tensorOf, zeros } from '../values/tensor.ts';
import type { ClipVisionOutput } from '../values/vision.ts';
import { lotusConditioning } from './conditioning/lotus.ts';
import { nodeTypes } from './index.ts';
import { anyOf, string } from './kernel/inputs.ts';
import { node } from './kernel/node-type.ts';
import { textGenerate } from './language/text-generate.ts';
import { encodeSafetensors } from './latent/safetensors.ts';
import { modelPatchNodes } from './model/model-patches.ts';
import { hunyuanVideo15Nodes } from './video/hunyuan15.ts';

let server: ReturnType<typeof imageServer>;
let remove: () => Promise<void>;
/** The outputs that the probe received in the current test. */
let outputs: { type: string; value: unknown }[] = [];

const probe = node({
  name: 'Probe',
  category: 'test',
  module: 'test',
  isOutput: true,
  inputs: { value: anyOf('*'), type: string() },
  outputs: [],
  run({ value, type }) {
    outputs.push({ type, value });
    return [];
  },
});

const drawing = node({
  name: 'Drawing',
  category: 'test',
  module: 'test',
  inputs: {},
  outputs: [{ type: 'SVG' }],
  run: () => ['<svg></svg>'],
});

const voxels = node({
  name: 'Voxels',
  category: 'test',
  module: 'test',
  inputs: {},
  outputs: [{ type: 'VOXEL' }],
  run: () => [{ data: full([2, 3, 3, 3], 1) }],
});

const videoLatent = node({
  name: 'VideoLatent',
  category: 'test',
  module: 'test',
  inputs: {},
  outputs: [{ type: 'LATENT' }],
  run: () => [{ samples: zeros([1, 4, 3, 8, 8]) }],
});

const shapeAutoencoder = node({
  name: 'ShapeAutoencoder',
  category: 'test',
  module: 'test',
  inputs: {},
  outputs: [{ type: 'VAE' }],
  run: () => [{ shapes: { decode: async () => full([1, 3, 3, 3], 1) } }],
});

const audioAutoencoder = node({
  name: 'AudioAutoencoder',
  category: 'test',
  module: 'test',
  inputs: {},
  outputs: [{ type: 'VAE' }],
  run: () => [
    {
      audio: {
        sampleRate: 44_100,
        encode: async () => zeros([1, 64, 4]),
        decode: async () => zeros([1, 2, 8192]),
      },
    },
  ],
});

const videoAutoencoder = node({
  name: 'VideoAutoencoder',
  category: 'test',
  module: 'test',
  inputs: {},
  outputs: [{ type: 'VAE' }],
  run: () => [
    {
      latentChannels: 16,
      scale: 8,
      encode: async ({ shape: [frames = 1, height = 1, width = 1] }: FloatTensor) =>
        zeros([1, 16, Math.floor((frames - 1) / 4) + 1, height / 8, width / 8]),
    },
  ],
});

const losses = node({
  name: 'Losses',
  category: 'test',
  module: 'test',
  inputs: {},
  outputs: [{ type: 'LOSS_MAP' }],
  run: () => [{ loss: [3, 2, 1] }],
});

const trainedLora = node({
  name: 'TrainedLora',
  category: 'test',
  module: 'test',
  inputs: {},
  outputs: [{ type: 'LORA_MODEL' }],
  run: () => [
    { name: 'test', type: 'F32', tensors: new Map([['unet.conv_in.diff', full([4, 4, 1, 1], 0.1)]]) },
  ],
});

/** Stands for the language models of a server, which have tests of their own. */
const languageModels = {
  async fetch(path: string): Promise<Response> {
    const capabilities = ['completion', 'vision', 'embedding'];
    if (path === '/api/tags') return Response.json({ models: [{ name: 'any', capabilities }] });
    if (path === '/api/ps') return Response.json({ models: [] });
    if (path === '/api/embed') return Response.json({ embeddings: [[1, 0, 0]] });
    return new Response('{"message":{"content":"a "}}\n{"message":{"content":"cat"},"done":true}\n');
  },
};

// Tiny ONNX graphs, which onnxruntime runs in processes of their own.
beforeAll(async () => {
  const onnx = await onnxHost();
  remove = onnx.remove;
  const { files } = onnx.host;
  await writeTinyDiffusion(files, 'models/checkpoints/tiny');
  await writeTinyDiffusion(files, 'models/diffusers/tiny');
  await writeTinyDiffusion(files, 'models/vae/tiny');
  await writeTextEncoder(files, 'models/text_encoders/small');
  const speech = await answeredWeights('audio/wav2vec2_base');
  await writeWeights(files, 'models/audio_encoders/small.safetensors', speech.weights);
  await writeUnet(files, 'models/diffusion_models/small');
  for (const name of ['unet', 'sd3', 'flux'])
    await writeExported(files, name, `models/diffusion_models/${name}`);
  await writeExported(files, 'hypernetworks', 'models/hypernetworks');
  await writeControlNet(files, 'models/controlnet/colors');
  await writeExported(files, 'controlnet', 'models/controlnet/difference');
  await writeTinyDiffusion(files, 'models/checkpoints/variations', 'StableUnCLIPImg2ImgPipeline');
  await writeImageEncoder(files, 'models/checkpoints/variations/image_encoder');
  await writeImageEncoder(files, 'models/clip_vision/small');
  await writeStyleModel(files, 'models/style_models/colors.onnx');
  await writeExported(files, 'gligen', 'models/gligen/boxes');
  await files.write('models/upscale_models/x2.onnx', doubling());
  await files.write('models/loras/model.safetensors', adapter(['unet.conv_in']));
  const layer = 'lora_te_text_model_encoder_layers_1_self_attn_q_proj';
  await files.write('models/loras/both.safetensors', adapter(['unet.conv_in'], layer));
  const png = encodePng({ width: 8, height: 8, channels: 3, data: new Uint8Array(192).fill(200) });
  for (const path of ['input/given.png', 'input/set/given.png', 'output/made.png'])
    await files.write(path, png);
  await files.write('input/3d/given.glb', new Uint8Array(4));
  const flac = await encodeFlac([new Float32Array(80).fill(0.5)], 8000, {}, new AbortController().signal);
  await files.write('input/given.flac', flac);
  await files.write('input/kept.latent', encodeSafetensors({ latent_tensor: zeros([1, 4, 8, 8]) }, {}));
  const mediaCodecs = nodeMedia(process.env.TABD_FFMPEG, tmpdir());
  const { signal } = new AbortController();
  const video = { container: 'webm', codecs: ['vp9'], width: 8, height: 8, frames: 2 } as const;
  const form = { milliFramesPerSecond: 8000, frame: () => new Uint8Array(256), metadata: {} };
  await files.write('input/given.webm', await mediaCodecs.encodeVideo({ ...video, ...form }, signal));
  const host = { ...onnx.host, imageCodecs: nodeCodecs, mediaCodecs };
  server = imageServer({
    host,
    customNodes: [
      probe,
      drawing,
      voxels,
      losses,
      trainedLora,
      audioAutoencoder,
      shapeAutoencoder,
      videoAutoencoder,
      videoLatent,
    ],
    languageModels,
  });
});
afterAll(async () => {
  await server.close();
  await remove();
});

/** An ONNX model that doubles the sides of images. */
function doubling(): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(new Map());
  const tiled = graph.node('Tile', ['image', graph.int64Initializer([1, 4, 1, 1])]);
  graph.node('DepthToSpace', [tiled], { blocksize: 2 }, 'larger');
  const floats = (name: string, shape: (string | number)[]) => ({ name, type: 'float32' as const, shape });
  return graph.buildModel(
    [floats('image', ['batch', 3, 'height', 'width'])],
    [floats('larger', ['batch', 3, 'tall', 'wide'])],
  );
}

function adapter(convolutions: readonly string[], linear?: string): Uint8Array {
  const tensors: Record<string, FloatTensor> = {};
  for (const name of convolutions) {
    tensors[`${name}.lora_A.weight`] = tensorOf([4, 4, 1, 1], new Float32Array(16).fill(0.1));
    tensors[`${name}.lora_B.weight`] = tensorOf([4, 4, 1, 1], new Float32Array(16).fill(0.1));
  }
  if (linear) {
    tensors[`${linear}.lora_up.weight`] = tensorOf([4, 1], new Float32Array(4).fill(0.1));
    tensors[`${linear}.lora_down.weight`] = tensorOf([1, 4], new Float32Array(4).fill(0.1));
  }
  return encodeSafetensors(tensors, {});
}

const isTensor = (value: unknown, ...ranks: number[]): boolean => {
  const { shape, data } = value as FloatTensor;
  return ranks.includes(shape.length) && data.length === elementCount(shape) && data.every(Number.isFinite);
};
const has = (method: string) => (value: unknown) =>
  typeof (value as Record<string, unknown>)[method] === 'function';

/** For each type of value, whether a value has it. */
const HAS_TYPE: Record<string, (value: unknown) => boolean> = {
  IMAGE: (value) => isTensor(value, 4) && [1, 3, 4].includes((value as FloatTensor).shape[3]!),
  MASK: (value) => isTensor(value, 3),
  WAN_CAMERA_EMBEDDING: (value) => isTensor(value, 5),
  VIDEO: has('parts'),
  HOOKS: (value) => (value as { adapter: unknown }[])[0]!.adapter !== undefined,
  HOOK_KEYFRAMES: (value) => (value as { strength: number }[])[0]!.strength >= -1,
  AUDIO: (value) => {
    const { waveform, sample_rate } = value as { waveform: FloatTensor; sample_rate: number };
    return isTensor(waveform, 3) && sample_rate > 0;
  },
  // Shapes and audio have latents of three sides, videos of five.
  LATENT: (value) => isTensor((value as { samples: FloatTensor }).samples, 3, 4, 5),
  CONDITIONING: (value) => (value as { tensor: FloatTensor }[]).every((entry) => isTensor(entry.tensor, 3)),
  SIGMAS: (value) => isTensor(value, 1),
  VOXEL: (value) => isTensor((value as { data: unknown }).data, 4),
  MESH: (value) => {
    const { vertices, faces } = value as { vertices: FloatTensor; faces: FloatTensor };
    return isTensor(vertices, 3) && faces.data.every((index) => index < vertices.shape[1]!);
  },
  LOAD3D_CAMERA: (value) => (value as Map<string, unknown>).has('zoom'),
  STRING: (value) => typeof value === 'string',
  INT: (value) => typeof value === 'bigint',
  FLOAT: (value) => typeof value === 'number' && Number.isFinite(value),
  BOOLEAN: (value) => typeof value === 'boolean',
  MODEL: (value) => has('predict')((value as { network: unknown }).network),
  CLIP: has('encode'),
  VAE: has('decode'),
  NOISE: has('generate'),
  SAMPLER: has('sampler'),
  GUIDER: has('open'),
  UPSCALE_MODEL: has('upscale'),
  AUDIO_ENCODER: has('encode'),
  AUDIO_ENCODER_OUTPUT: (value) => isTensor((value as AudioEncoderOutput).layers, 4),
  CLIP_VISION: has('encode'),
  CLIP_VISION_OUTPUT: (value) => {
    const { imageEmbeds, lastHiddenState, penultimateHiddenState } = value as ClipVisionOutput;
    return isTensor(imageEmbeds, 2) && isTensor(lastHiddenState, 3) && isTensor(penultimateHiddenState, 3);
  },
  STYLE_MODEL: has('tokens'),
  GLIGEN: has('networkFor'),
  CONTROL_NET: (value) => typeof value === 'object' && value !== null,
  LORA_MODEL: (value) => (value as LoraWeights).tensors.size > 0,
  LOSS_MAP: (value) => (value as { loss: number[] }).loss.every(Number.isFinite),
  LATENT_OPERATION: (value) => typeof value === 'function',
  TIMESTEPS_RANGE: (value) => (value as number[]).length === 2,
  '*': (value) => value === 'a cat',
  COMFY_MATCHTYPE_V3: (value) => value === 'a cat' || isTensor(value, 4),
  VECTOR: (value) => (value as number[]).every(Number.isFinite),
};

/** Nodes for files of weights. The models of this test are graphs. */
const OF_WEIGHTS = /^(ImageOnlyCheckpointSave|PhotoMaker\w+|\w+GGUF(Advanced)?)$/;
/** Nodes for models that no tiny one stands for. They have tests of their own. */
const tested = [...modelPatchNodes, ...hunyuanVideo15Nodes, lotusConditioning, textGenerate];
/** As the nodes of `tested`: its text encoder writes codes of audio. */
const WITH_CODES = 'TextEncodeAceStepAudio1.5';
const runnable = nodeTypes.filter(
  (type) => !tested.includes(type) && !OF_WEIGHTS.test(type.name) && type.name !== WITH_CODES,
);

test.each(runnable.map((type) => [type.name, type] as const))('%s', { timeout: 60_000 }, async (_, type) => {
  outputs = [];
  const graph = await graphFor(type, new StoredFiles(server.host));
  const { entry } = await server.run(graph);
  const failure = entry.status.messages.find(([name]) => name === 'execution_error');
  expect(failure?.[1].exception_message).toBeUndefined();
  expect(entry.status.status_str).toBe('success');
  for (const { type: declared, list } of type.outputs) {
    const values = outputs.filter((output) => output.type === String(declared)).map(({ value }) => value);
    if (!list) expect(values.length).toBeGreaterThan(0);
    // The view of the test has no recording.
    const isAbsent = declared === 'VIDEO' && type.name.startsWith('Load3D');
    if (isAbsent) expect(values).toEqual([null]);
    else for (const value of values) expect(HAS_TYPE[String(declared)]!(value), `${declared}`).toBe(true);
  }
  if (type.isOutput && type.outputs.length === 0) expect(entry.status.completed).toBe(true);
});
