/** Prompts of ACE-Step 1.5 for its transformer: what it hears, and the latents that it follows. */
import { toBatch } from '../../../../values/batches.ts';
import type { ModelGraph } from '../../../../values/model-graph.ts';
import type { NetworkPrompt } from '../../../../values/network.ts';
import { type FloatTensor, zeros } from '../../../../values/tensor.ts';
import { feedAll, toFloatTensor } from '../../../graphs/session-tensors.ts';
import type { PromptConversion } from '../../../networks/converted-prompts.ts';
import { CODE_CELLS, CODE_LEVELS } from './audio-code-graphs.ts';
import { silentLatents } from './silence.ts';

/** Channels of the latents. */
export const MUSIC_CHANNELS = 64;
/** The code that follows those of a prompt when they are too few. */
const LAST_CODE = 35_847;

export interface ConditionGraphs {
  readonly conditions: ModelGraph;
  readonly codeDecoder: ModelGraph;
  readonly codeEncoder: ModelGraph;
  /** The token that stands for no prompt, [1, 1, width]. */
  withoutPrompt(): Promise<FloatTensor>;
}

/**
 * `tensor` becomes [1, tokens, width]. `videoInputs.source` becomes the latents that the music follows, [1, channels,
 * cells]: those of the prompt's codes, those of other audio as codes, or silence.
 */
export function musicConditions(graphs: ConditionGraphs): PromptConversion {
  return async (prompt, shape, signal) => {
    const [, channels, cells = 0] = shape;
    if (shape.length !== 3 || channels !== MUSIC_CHANNELS)
      throw new TypeError(
        `this model takes latents [batch, ${MUSIC_CHANNELS}, cells], and these are [${shape.join(', ')}]: use EmptyAceStep1.5LatentAudio`,
      );
    const { music } = prompt.options;
    if (!music?.lyrics)
      throw new TypeError(
        'this model needs the lyrics of its prompts: encode them with TextEncodeAceStepAudio1.5',
      );
    const silence = silentLatents(cells);
    const heard = music.timbre ? fitted(music.timbre, silence) : silence;
    return {
      tensor: prompt.tensor.data.every((value) => value === 0)
        ? await graphs.withoutPrompt()
        : await conditionsOf(graphs, prompt, music.lyrics, heard, signal),
      videoInputs: { source: await sourceOf(graphs, music, heard, cells, signal) },
    };
  };
}

async function conditionsOf(
  { conditions }: ConditionGraphs,
  { tensor }: NetworkPrompt,
  lyrics: FloatTensor,
  heard: FloatTensor,
  signal: AbortSignal,
): Promise<FloatTensor> {
  return runOnce(
    conditions,
    { encoder_hidden_states: tensor, lyric_states: lyrics, timbre: turned(heard) },
    signal,
  );
}

async function sourceOf(
  { codeDecoder, codeEncoder }: ConditionGraphs,
  { timbre, codes }: NonNullable<NetworkPrompt['options']['music']>,
  heard: FloatTensor,
  cells: number,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const grid = timbre
    ? await runOnce(codeEncoder, { latents: inWholeCodes(turned(heard)) }, signal)
    : codes && codesOnGrid(codes, Math.ceil(cells / CODE_CELLS));
  if (!grid) return heard;
  const hints = await runOnce(codeDecoder, { codes: grid }, signal);
  const [, , channels = 0] = hints.shape;
  return turned({ shape: [1, cells, channels], data: hints.data.subarray(0, cells * channels) });
}

/** Runs a graph and frees its memory: the sampler needs it. */
async function runOnce(
  graph: ModelGraph,
  inputs: Readonly<Record<string, FloatTensor>>,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const session = await graph.session(signal);
  try {
    const [result] = Object.values(await session.run(feedAll(session, inputs), signal));
    return toFloatTensor(result!);
  } finally {
    await graph.unload();
  }
}

/** The numbers of codes, -1 to 1: [1, count, 6]. A code has one digit for each number. */
function codesOnGrid(codes: readonly number[], count: number): FloatTensor {
  const width = CODE_LEVELS.length;
  const result = zeros([1, Math.max(count, codes.length), width]);
  for (let at = 0; at < result.shape[1]!; at++) {
    let rest = codes[at] ?? LAST_CODE;
    for (const [digit, levels] of CODE_LEVELS.entries()) {
      result.data[at * width + digit] = ((rest % levels) * 2) / (levels - 1) - 1;
      rest = Math.floor(rest / levels);
    }
  }
  return result;
}

/** The first of a batch, in the length of `silence`, which follows shorter latents. */
function fitted(latents: FloatTensor, silence: FloatTensor): FloatTensor {
  const [first] = [toBatch([latents], 1)];
  const [, channels = 0, cells = 0] = silence.shape;
  const [, own, length = 0] = first!.shape;
  if (first!.shape.length !== 3 || own !== channels)
    throw new TypeError(
      `the reference audio has latents [${latents.shape.join(', ')}], and this model takes [batch, ${channels}, cells]: encode it with the VAE of ACE-Step 1.5`,
    );
  const result = { shape: silence.shape, data: silence.data.slice() };
  for (let channel = 0; channel < channels; channel++) {
    const row = first!.data.subarray(channel * length, channel * length + Math.min(length, cells));
    result.data.set(row, channel * cells);
  }
  return result;
}

/** [1, cells, channels] with zeros after the end, so that the last code is complete. */
function inWholeCodes({ shape, data }: FloatTensor): FloatTensor {
  const [, cells = 0, channels = 0] = shape;
  const result = zeros([1, Math.ceil(cells / CODE_CELLS) * CODE_CELLS, channels]);
  result.data.set(data);
  return result;
}

/** [1, a, b] to [1, b, a]. */
function turned({ shape: [, rows = 0, columns = 0], data }: FloatTensor): FloatTensor {
  const result = zeros([1, columns, rows]);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      result.data[column * rows + row] = data[row * columns + column]!;
  return result;
}
