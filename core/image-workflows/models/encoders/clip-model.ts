import { hasLyrics, LYRICS_START, lyricTokens } from '../../text/lyrics/lyric-tokens.ts';
import { withTemplate } from '../../text/prompt-template.ts';
import { tokenizePrompt } from '../../text/prompt-tokens.ts';
import { quotedParts } from '../../text/quoted-parts.ts';
import { spelledPrompt } from '../../text/spelled-prompt.ts';
import { singleChunk, toChunks } from '../../text/token-chunks.ts';
import { encodeChunks } from '../../text/weighted-encoding.ts';
import type { AnyAdapter, EncoderName } from '../../values/adapter.ts';
import type { ClipModel, ShownImages } from '../../values/clip-model.ts';
import type { ClipHooks } from '../../values/hooks.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { applyAnyAdapter } from '../adapters/apply-adapter.ts';
import { type Combination, combineEncodings, silence, type TextEncoding } from './combine-encodings.ts';
import type { EmbeddingFiles } from './embedding-files.ts';
import { withImages } from './prompt-images.ts';
import { promptPart, withShownImages } from './shown-images.ts';
import { type TextEncoderModel, tokenizerOf } from './text-encoder-model.ts';
import { textGraph } from './text-graph.ts';
import { tokenTable } from './token-table.ts';
import { writeCodes } from './write-codes.ts';
import { writeText } from './write-text.ts';

export interface ClipParts {
  encoders: readonly TextEncoderModel[];
  combination: Combination;
  embeddings: EmbeddingFiles;
  hooks?: ClipHooks;
  /** The width of the `sd3` combination when T5 is missing. */
  width?: number;
}

export function clipModel(parts: ClipParts): ClipModel {
  const { encoders, combination, embeddings, width, hooks } = parts;
  const writer = encoders.find((encoder) => encoder.writer);
  const composer = encoders.find(({ codeWriter }) => codeWriter);
  const withEncoders = (change: (encoder: TextEncoderModel) => TextEncoderModel) =>
    clipModel({ ...parts, encoders: encoders.map(change) });
  return {
    ...(hooks && { hooks }),
    withHooks: (newHooks) => clipModel({ ...parts, hooks: newHooks }),
    async encode(text, signal, silent = [], images = [], shown = undefined) {
      if (encoders.length === 0)
        throw new Error('this model came without a text encoder: load one with CLIPLoader or DualCLIPLoader');
      const encodings = new Map<EncoderName, TextEncoding>();
      for (const encoder of encoders) {
        if (encoder.codeWriter) continue;
        const prompt = readPart(encoder, typeof text === 'string' ? text : (text[encoder.name] ?? ''));
        if (prompt === undefined) continue;
        const encoded = await encode(encoder, prompt, { embeddings, images, shown }, signal);
        const lyrics = await encodeLyrics(encoder, typeof text === 'string' ? '' : text.lyrics, signal);
        const encoding = { ...encoded, ...lyrics };
        encodings.set(encoder.name, silent.includes(encoder.name) ? silence(encoding) : encoding);
      }
      return combineEncodings(encodings, combination, width);
    },
    ...(writer?.writer && { write: (request, signal) => writeText(writer, request, signal) }),
    ...(composer?.codeWriter && {
      writeCodes: (request, signal) => writeCodes(composer, composer.codeWriter!, request, signal),
    }),
    withLastLayer: (layer) =>
      withEncoders((encoder) => ({
        ...encoder,
        layer: encoder.rawLayers ? Math.min(layer, encoder.layer) : layer,
      })),
    withPadding: ({ padding, minLength }) =>
      withEncoders((encoder) =>
        /t5/.test(encoder.name) ? { ...encoder, padding, length: minLength } : encoder,
      ),
    graphs: new Map(encoders.map(({ name, graph }) => [name, graph])),
    tokenizers: new Map(
      encoders.flatMap(({ name, tokenizerFolder }) => (tokenizerFolder ? [[name, tokenizerFolder]] : [])),
    ),
    withGraphs: (graphs) =>
      withEncoders((encoder) => ({ ...encoder, graph: graphs.get(encoder.name) ?? encoder.graph })),
    async withAdapter(adapter: AnyAdapter, strength: number) {
      const changed = [];
      for (const [target, encoder] of encoders.entries()) {
        const part = { name: encoder.name, target };
        changed.push({ ...encoder, graph: await applyAnyAdapter(encoder.graph, adapter, part, strength) });
      }
      return clipModel({ ...parts, encoders: changed });
    },
  };
}

/** The part of a prompt that an encoder reads. Undefined: nothing. */
function readPart({ quotes }: TextEncoderModel, prompt: string): string | undefined {
  if (quotes === undefined) return prompt;
  const parts = quotedParts(prompt);
  return parts.length === 0 ? undefined : parts.map((part) => quotes.replace('{}', () => part)).join('');
}

/** Undefined: the model takes no lyrics. Lyrics without any word need no tokenizer of their own. */
async function encodeLyrics(
  { lyricsTokenizer, embedsLyrics, tokenizer, graph }: TextEncoderModel,
  lyrics = '',
  signal: AbortSignal,
): Promise<Pick<TextEncoding, 'lyrics' | 'lyricStates'> | undefined> {
  if (embedsLyrics) {
    const { tokens } = await tokenizerOf({ tokenizer }, signal);
    return { lyricStates: await (await tokenTable(graph)).rows(tokens(lyrics), signal) };
  }
  if (!lyricsTokenizer) return undefined;
  const tokens = hasLyrics(lyrics) ? lyricTokens(lyrics, await lyricsTokenizer(signal)) : [LYRICS_START];
  return { lyrics: { shape: [1, tokens.length], data: Float32Array.from(tokens) } };
}

interface PromptInputs {
  embeddings: EmbeddingFiles;
  images: readonly FloatTensor[];
  shown: ShownImages | undefined;
}

async function encode(
  encoder: TextEncoderModel,
  prompt: string,
  { embeddings, images, shown }: PromptInputs,
  signal: AbortSignal,
): Promise<TextEncoding> {
  const { vision, imageMarker } = encoder;
  const shownImages = imageMarker === undefined ? undefined : shown;
  const around = shownImages?.template ?? (images.length > 0 ? encoder.template?.withImages : undefined);
  const template = around === undefined ? encoder.template : { ...encoder.template, text: around };
  const tokenizer = await tokenizerOf(encoder, signal);
  const graph = textGraph(encoder, tokenizer);
  const words = template?.spelledTokens
    ? spelledPrompt(prompt, template, template.spelledTokens, tokenizer)
    : await tokenizePrompt(template ? withTemplate(template, prompt) : prompt, tokenizer, {
        lookup: (name) => embeddings.vectors(name, encoder.name, () => graph.width()),
        onMissing: embeddings.missing,
        isLiteral: template?.isLiteral ?? false,
      });
  if (images.length > 0 && !vision)
    throw new TypeError(
      'this text encoder sees no images: load Qwen 2.5 VL with its vision encoder (visual.…) in the same file',
    );
  const seen = vision && images.length > 0 ? await withImages(words, images, vision, signal) : undefined;
  const parts = seen?.parts ?? (shownImages ? withShownImages(words, imageMarker!, shownImages) : words);
  const { start, end, pad } = tokenizer;
  const split = (tokens: typeof parts, minLength: number) => {
    if ((!encoder.isChunked && !encoder.isCut) || end === undefined)
      return [singleChunk(tokens, { start, end, pad, padding: encoder.padding ?? 0, minLength })];
    const chunks = toChunks(tokens, { start, end, pad, length: encoder.length });
    return encoder.isCut ? chunks.slice(0, 1) : chunks;
  };
  const chunks = split(parts, encoder.length);
  const emptyChunk = split([], chunks[0]!.length)[0]!;
  const placed = seen ? textGraph(encoder, tokenizer, seen.positions) : graph;
  const encoding = await encodeChunks(chunks, emptyChunk, placed, signal);
  return template?.dropsThrough ? promptPart(encoding, chunks[0]!, template, shownImages) : encoding;
}
