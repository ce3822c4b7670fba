/** Writes codes of audio with the language model of a text encoder, token by token. */
import { MersenneTwister } from '../../sampling/random/mersenne-twister.ts';
import { combine } from '../../sampling/tensor-math.ts';
import { bestToken, drawCode } from '../../text/choose-token.ts';
import type { CodesRequest } from '../../values/clip-model.ts';
import { checkPromptLength, OpenWriter } from './open-writer.ts';
import { type CodeWriter, type TextEncoderModel, tokenizerOf } from './text-encoder-model.ts';

/**
 * As many codes as the request says. With a scale other than 1, the scores are guided away from those of the negative
 * prompt. Frees the model afterwards: the network needs the memory.
 * Rejects with the engine's error, the signal's reason, and for a prompt that is too long.
 */
export async function writeCodes(
  encoder: TextEncoderModel,
  writer: CodeWriter,
  request: CodesRequest,
  signal: AbortSignal,
): Promise<number[]> {
  const { tokens, pad } = await tokenizerOf(encoder, signal);
  const { prompt, negative, scale, count } = request;
  const texts = (scale === 1 ? [prompt] : [prompt, negative]).map((text) => tokens(text));
  const length = Math.max(...texts.map((text) => text.length));
  checkPromptLength(length);
  const hidden = texts.map((text) => length - text.length);
  const model = new OpenWriter(writer, signal, hidden);
  const random = new MersenneTwister(Number(BigInt.asUintN(32, request.seed)));
  const codes: number[] = [];
  try {
    let scores = await model.read(
      texts.map((text, at) => [...Array<number>(hidden[at]!).fill(pad), ...text]),
    );
    while (codes.length < count) {
      const guided = guide(scores, scale);
      const isBest = request.temperature <= 0;
      const code = isBest ? bestToken(guided) : drawCode(guided, request, random.fraction());
      codes.push(code);
      await request.onCode(codes.length);
      if (codes.length < count) scores = await model.read(texts.map(() => [writer.first + code]));
    }
    return codes;
  } finally {
    await writer.graph.unload();
  }
}

/** Ho and Salimans, "Classifier-free diffusion guidance", 2022, for the scores of the next token. */
function guide([cond, uncond]: readonly Float32Array[], scale: number): Float32Array {
  if (!uncond) return cond!;
  const sides = (data: Float32Array) => ({ shape: [data.length], data });
  return combine([scale, sides(cond!)], [1 - scale, sides(uncond)]).data;
}
