/** Nodes that tabd adds to ComfyUI's: texts, descriptions and embeddings by the language models of the same server. */

import { encodeBase64 } from '#core/http';
import { encodePng } from '#core/image-codecs';
import { toPixels } from '../../images/pixels.ts';
import { imageRaster } from '../../images/rasters.ts';
import { seed } from '../kernel/common-inputs.ts';
import { anyOf, float, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { askJson, modelFor } from './ask-models.ts';
import { chatAnswer } from './chat.ts';

const shared = { category: 'tabd/language', module: 'tabd' } as const;
const paragraph = (value: string, tooltip: string) => string({ default: value, multiline: true, tooltip });
const model = (example: string) =>
  string({
    default: '',
    tooltip: `Name of an installed model, such as ${example}. Empty: a loaded one, or the first.`,
  });
const temperature = (value: number) =>
  float({
    default: value,
    min: 0.0,
    max: 2.0,
    step: 0.05,
    tooltip: 'At 0 the model picks the most likely words. Higher numbers give more surprising ones.',
  });
const maxTokens = (value: number) =>
  int({ default: value, min: 1, max: 32768, tooltip: 'Tokens after which the text ends.' });

const generateText = node({
  ...shared,
  name: 'TabdGenerateText',
  displayName: 'Generate Text',
  description: 'Generates text with a local language model.',
  inputs: {
    text: paragraph('', 'The question for the model.'),
    instructions: paragraph('', 'Who the model is and how it should answer.'),
    model: model('smollm2:135m'),
    seed: seed(),
    temperature: temperature(0.8),
    max_tokens: maxTokens(512),
  },
  outputs: [output('STRING', 'text')],
  run: async ({ max_tokens, ...values }, context) => [
    await chatAnswer({ ...values, maxTokens: max_tokens }, context),
  ],
});

/** The system prompt of Expand Prompt. Part of the node's results: another text gives other prompts. */
const EXPAND_INSTRUCTIONS =
  'You write prompts for a program that makes images from text. Rewrite the idea of the user as one prompt: ' +
  'name the subject first, then its surroundings, light, colours and style, in short phrases with commas between. ' +
  'Keep everything that the idea says. Answer with the prompt alone.';

const expandPrompt = node({
  ...shared,
  name: 'TabdExpandPrompt',
  displayName: 'Expand Prompt',
  description: 'Expands a short idea to a detailed prompt with a local language model.',
  inputs: {
    prompt: string({ multiline: true, dynamicPrompts: true }),
    style: string({
      default: '',
      tooltip: 'The look of the image, such as watercolor. May be empty.',
    }),
    model: model('smollm2:135m'),
    seed: seed(),
    temperature: temperature(0.8),
    max_tokens: maxTokens(128),
  },
  outputs: [output('STRING', 'prompt')],
  async run({ prompt, style, max_tokens, ...values }, context) {
    if (prompt.trim() === '') throw new Error('there is no idea to expand: fill in prompt');
    const text = style.trim() === '' ? prompt : `${prompt}\nStyle: ${style}`;
    const request = { ...values, text, instructions: EXPAND_INSTRUCTIONS, maxTokens: max_tokens };
    const answer = await chatAnswer(request, context);
    // Small models often put quotes around the answer.
    return [answer.replace(/^["“](.*)["”]$/s, '$1').trim()];
  },
});

const describeImage = node({
  ...shared,
  name: 'TabdDescribeImage',
  displayName: 'Describe Image',
  description: 'Describes each image with a local vision model.',
  inputs: {
    image: link('IMAGE'),
    question: paragraph('Describe this image.', 'The question about each image.'),
    model: model('one with a projector'),
    seed: seed(),
    temperature: temperature(0.2),
    max_tokens: maxTokens(256),
  },
  outputs: [output('STRING', 'text', { list: true })],
  async run({ image, question, max_tokens, ...values }, context) {
    const raster = imageRaster(image);
    const texts: string[] = [];
    for (let index = 0; index < raster.batch; index++) {
      const png = encodePng(toPixels(raster, index), { texts: {}, level: 1 });
      const request = { ...values, text: question, instructions: '', maxTokens: max_tokens };
      texts.push(await chatAnswer({ ...request, images: [encodeBase64(png)] }, context));
    }
    return [texts];
  },
});

const embedText = node({
  ...shared,
  name: 'TabdEmbedText',
  displayName: 'Embed Text',
  description: 'Computes the embedding of a text: texts of similar meaning have similar vectors.',
  inputs: { text: string({ multiline: true }), model: model('all-minilm') },
  outputs: [{ type: 'VECTOR', name: 'vector' }],
  async run({ text, model: requestedModel }, context) {
    const model = await modelFor(requestedModel, 'embedding', context);
    const answer = await askJson<{ embeddings: number[][] }>('/api/embed', { model, input: text }, context);
    const [vector] = answer.embeddings;
    if (!vector) throw new Error(`${model} returned no vector for this text`);
    return [vector];
  },
});

const similarity = node({
  ...shared,
  name: 'TabdSimilarity',
  displayName: 'Similarity',
  description: 'Compares two vectors by the cosine of the angle between them: 1 for the same meaning.',
  inputs: { first: anyOf('VECTOR'), second: anyOf('VECTOR') },
  outputs: [output('FLOAT', 'similarity')],
  run({ first, second }) {
    const [a, b] = [first as number[], second as number[]];
    if (a.length !== b.length)
      throw new TypeError(
        `vectors of ${a.length} and ${b.length} numbers come from different models: embed both texts with one`,
      );
    const dot = (x: number[], y: number[]) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
    const lengths = Math.sqrt(dot(a, a) * dot(b, b));
    return [lengths === 0 ? 0 : dot(a, b) / lengths];
  },
});

export const languageNodes: AnyNode[] = [generateText, expandPrompt, describeImage, embedText, similarity];
