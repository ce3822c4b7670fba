/** Networks of Wan for people, compared with diffusers and torch (test/diffusers/scripts/wan_people_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear, largestDifference } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import type { NetworkPrompt } from '../../../values/network.ts';
import { type FloatTensor, full, zeros } from '../../../values/tensor.ts';
import { loadNetwork } from '../../checkpoints/standalone-parts.ts';
import { orthogonalDirections } from './motion-directions.ts';
import { tokenTimes } from './wan-s2v-layout.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

/** As in the script: latents have larger numbers than weights. */
const stronger = ({ shape, data }: FloatTensor): FloatTensor => ({
  shape,
  data: data.map((value) => 30 * value),
});

/** As in the script: smaller weights lose the face on the way. */
const louder = (weights: Record<string, FloatTensor>): Record<string, FloatTensor> =>
  Object.fromEntries(
    Object.entries(weights).map(([name, { shape, data }]) => {
      const isBias = shape.length === 1 || name.endsWith('.bias');
      const factor = isBias
        ? 1
        : name.startsWith('motion_encoder.enc')
          ? 12
          : name.startsWith('face_')
            ? 3
            : 1;
      return [name, { shape, data: data.map((value) => factor * value) }];
    }),
  );

async function open(name: string) {
  const answered = await answeredWeights(`videos/${name}`);
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, louder(answered.weights));
  const model = await loadNetwork(host, `${name}.safetensors`);
  const { x, text } = answered.inputs;
  const predict = (...all: Partial<NetworkPrompt>[]) =>
    model.network.predict(
      x!,
      700,
      all.map((each) => ({ tensor: text!, options: {}, ...each })),
      never,
    );
  return { ...answered, model, predict };
}

test('HuMo hears audio, and sees a subject after the video', SLOW, async () => {
  const { inputs, answers, predict } = await open('wan_humo');
  const audio = inputs.audio!;
  const [plain] = await predict({});
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const [heard] = await predict({ videoInputs: { audio } });
  expectNear(heard, answers.heard!, TIME_ROUNDING);
  const subject = { following: stronger(inputs.subject!), audio };
  const [seen, again] = await predict({ videoInputs: subject }, { videoInputs: subject });
  expectNear(seen, answers.subject!, TIME_ROUNDING);
  expectNear(again, answers.subject!, TIME_ROUNDING);
  await expect(predict({ videoInputs: { audio: zeros([1, 3, 5, 7]) } })).rejects.toThrow('Whisper large v3');
});

test('S2V hears speech, and sees a subject, earlier frames and a video to follow', SLOW, async () => {
  const { inputs, answers, predict } = await open('wan_s2v');
  const { audio } = inputs;
  const [reference, motion, control] = ['reference', 'motion', 'control'].map((name) =>
    stronger(inputs[name]!),
  );
  const [plain] = await predict({});
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const [heard] = await predict({ videoInputs: { audio: audio! } });
  expectNear(heard, answers.heard!, TIME_ROUNDING);
  const [subject] = await predict({ videoInputs: { reference: reference! } });
  expectNear(subject, answers.subject!, TIME_ROUNDING);
  const every = { reference: reference!, motion: motion!, control: control!, audio: audio! };
  const [all, again] = await predict({ videoInputs: every }, { videoInputs: every });
  expectNear(all, answers.every!, TIME_ROUNDING);
  expectNear(again, answers.every!, TIME_ROUNDING);
  await expect(predict({ videoInputs: { audio: zeros([1, 2, 7, 8]) } })).rejects.toThrow('wav2vec 2.0 large');
  await expect(predict({ videoInputs: { control: zeros([1, 4, 3, 8, 10]) } })).rejects.toThrow(
    'control video',
  );
});

test('the tokens of S2V are shared out to times as in the real system', () => {
  const times = (frames: number, size: number, referenceTokens: number, motionTokens: number) => [
    ...tokenTimes({ frames, size, referenceTokens, motionTokens }).data,
  ];
  expect(times(2, 3, 0, 0)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(times(1, 3, 3, 0)).toEqual([0, 0, 0, 1, 1, 1]);
  // 3 + 3 + 5 tokens and 7 times: two tokens for each time, so one of the image has that of the video.
  expect(times(1, 3, 3, 5)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
});

test('Animate follows the pose and the face of a character', SLOW, async () => {
  const { inputs, answers, predict } = await open('wan_animate');
  const concat = inputs.concat!;
  const videoInputs = { pose: inputs.pose!, faces: inputs.faces! };
  const [animated, again] = await predict({ concat, videoInputs }, { concat, videoInputs });
  expectNear(animated, answers.animated!, TIME_ROUNDING);
  expectNear(again, answers.animated!, TIME_ROUNDING);
  const others = { ...videoInputs, faces: full(inputs.faces!.shape, -1) };
  expect(
    largestDifference((await predict({ concat, videoInputs: others }))[0], answers.animated!),
  ).toBeGreaterThan(1e-3);
  await expect(
    predict({ concat, videoInputs: { ...videoInputs, pose: zeros([1, 4, 2, 4, 4]) } }),
  ).rejects.toThrow('WanAnimateToVideo');
});

test('a network of Animate without directions of motion is incomplete', async () => {
  const { weights, inputs } = await answeredWeights('videos/wan_animate');
  const rest = Object.entries(weights).filter(([name]) => !name.includes('direction'));
  await writeWeights(host.files, 'models/diffusion_models/incomplete.safetensors', Object.fromEntries(rest));
  const { network } = await loadNetwork(host, 'incomplete.safetensors');
  const prompt = { tensor: inputs.text!, options: {}, concat: inputs.concat! };
  await expect(network.predict(inputs.x!, 700, [prompt], never)).rejects.toThrow(
    'there is no tensor motion_encoder.dec.direction.weight',
  );
});

test('directions are orthogonal, and span the columns', () => {
  // torch.linalg.qr of [[3, 1], [4, 2], [0, 2]].
  const { shape, data } = orthogonalDirections([3, 1, 4, 2, 0, 2], [3, 2]);
  expect(shape).toEqual([2, 3]);
  for (const [at, value] of [-0.6, -0.8, 0, 0.156893, -0.11767, -0.980581].entries())
    expect(data[at]).toBeCloseTo(value, 5);
});

test('the image of a subject becomes a frame of HuMo, and its network of 36 channels a black video', async () => {
  const { weights } = await answeredWeights('videos/wan_humo');
  const wide = {
    ...weights,
    'patch_embedding.weight': full([128, 36, 1, 2, 2], 0.1),
    'head.head.weight': full([64, 128], 0.1),
    'head.head.bias': full([64], 0),
  };
  await writeWeights(host.files, 'models/diffusion_models/wide.safetensors', wide);
  const { imageInputs } = await loadNetwork(host, 'wide.safetensors');
  const shape = [1, 16, 3, 2, 2];
  const subject = full([1, 16, 1, 2, 2], 1);
  const { concat, videoInputs } = imageInputs!({ references: { latents: [subject] } }, { shape, seed: 0n });
  expect(concat!.shape).toEqual([1, 20, 3, 2, 2]);
  expect([...concat!.data.slice(0, 48)]).toEqual(new Array(48).fill(0));
  expect([...concat!.data.slice(48, 60)].map((value) => Math.fround(value))).toEqual(
    [0.866, 1.0869, 0.8642].flatMap((value) => new Array(4).fill(Math.fround(value))),
  );
  const { following } = videoInputs!;
  expect(following!.shape).toEqual([1, 36, 1, 2, 2]);
  expect([...following!.data.slice(60, 84)].slice(0, 20)).toEqual([
    ...zeros([4]).data,
    ...full([16], 1).data,
  ]);
});
