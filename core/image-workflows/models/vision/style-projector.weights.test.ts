/** USO's style projector and its tokens in Flux, compared with torch and diffusers (test/diffusers/scripts/style_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { zeros } from '../../values/tensor.ts';
import type { StyleModel } from '../../values/vision.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { openModelPatch } from '../control/open-model-patch.ts';
import { leadingTokens } from '../patches/leading-tokens.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();
const seen = { imageEmbeds: undefined, lastHiddenState: zeros([1, 5, 6]), penultimateHiddenState: undefined };

test('the projector makes tokens of three layers', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('styles/uso_projector');
  await writeWeights(host.files, 'models/model_patches/uso.safetensors', weights);
  const projector = (await openModelPatch(host, 'uso.safetensors')) as StyleModel;
  expectNear(await projector.tokens({ ...seen, styleStates: inputs.states! }, never), answers.tokens!);
  await expect(projector.tokens(seen, never)).rejects.toThrow('load SigLIP');
  const other = { ...seen, styleStates: zeros([1, 3, 4, 6]) };
  await expect(projector.tokens(other, never)).rejects.toThrow('takes [5, 6] for each layer');
});

test('Flux sees tokens before those of its prompts', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('styles/uso_flux');
  await writeWeights(host.files, 'models/diffusion_models/flux.safetensors', weights);
  const { network } = await loadNetwork(host, 'flux.safetensors');
  const prompt = { tensor: inputs.text!, options: { pooled: inputs.pooled!, guidance: 3.5 } };
  const [plain] = await network.predict(inputs.x!, 0.7, [prompt], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const styled = await network.withPatch!(leadingTokens(inputs.style!), never);
  const results = await styled.predict(inputs.x!, 0.7, [prompt, prompt], never);
  for (const result of results) expectNear(result, answers.styled!, TIME_ROUNDING);
});
