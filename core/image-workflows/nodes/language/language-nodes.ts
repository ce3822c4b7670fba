/** Nodes of tabd's own: texts, descriptions and vectors by the language models of the same server. */
import { encodeBase64 } from '#core/http';
import { encodePng } from '#core/image-codecs';
import { toPixels } from '../../images/pixels.ts';
import { imageRaster } from '../../images/rasters.ts';
import { anyOf, float, int, int64, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { askJson, modelFor } from './ask-models.ts';
import { chat } from './chat.ts';

const shared = { category: 'tabd/language', module: 'tabd' } as const;
const paragraph = (value: string, tooltip: string) => string({ default: value, multiline: true, tooltip });
const model = (what: string) =>
  string({
    default: '',
    tooltip: `Name of an installed model, such as ${what}. Empty: one that is loaded, or the first.`,
  });
const seed = () => int64({ default: 0, min: 0, max: 18446744073709551615n, control_after_generate: true });
const temperature = (value: number) =>
  float({
    default: value,
    min: 0.0,
    max: 2.0,
    step: 0.05,
    tooltip: '0 gives the likeliest words; more gives more surprising ones.',
  });
const longest = (value: number) =>
  int({ default: value, min: 1, max: 32768, tooltip: 'Tokens after which the text ends.' });

const generateText = node({
  ...shared,
  name: 'TabdGenerateText',
  displayName: 'Generate Text',
  description: 'What a local language model answers.',
  inputs: {
    text: paragraph('', 'What the model is asked.'),
    instructions: paragraph('', 'Who the model is and how it should answer.'),
    model: model('smollm2:135m'),
    seed: seed(),
    temperature: temperature(0.8),
    max_tokens: longest(512),
  },
  outputs: [output('STRING', 'text')],
  run: async ({ max_tokens, ...values }, context) => [
    await chat({ ...values, maxTokens: max_tokens }, context),
  ],
});

const EXPANDING =
  'You write prompts for a program that makes pictures of texts. Rewrite the idea that you are given as one prompt: ' +
  'name the subject first, then its surroundings, light, colours and style, in short phrases with commas between. ' +
  'Keep everything that the idea says. Answer with the prompt alone.';

const expandPrompt = node({
  ...shared,
  name: 'TabdExpandPrompt',
  displayName: 'Expand Prompt',
  description: 'A short idea as a detailed prompt, by a local language model.',
  inputs: {
    prompt: string({ multiline: true, dynamicPrompts: true }),
    style: string({
      default: '',
      tooltip: 'How the picture should look, such as watercolour. May be empty.',
    }),
    model: model('smollm2:135m'),
    seed: seed(),
    temperature: temperature(0.8),
    max_tokens: longest(128),
  },
  outputs: [output('STRING', 'prompt')],
  async run({ prompt, style, max_tokens, ...values }, context) {
    if (prompt.trim() === '') throw new Error('there is no idea to make a prompt of: fill in prompt');
    const text = style.trim() === '' ? prompt : `${prompt}\nStyle: ${style}`;
    const answer = await chat({ ...values, text, instructions: EXPANDING, maxTokens: max_tokens }, context);
    // Small models like to quote what they give.
    return [answer.replace(/^["“](.*)["”]$/s, '$1').trim()];
  },
});

const describeImage = node({
  ...shared,
  name: 'TabdDescribeImage',
  displayName: 'Describe Image',
  description: 'What a local model that sees says about each picture.',
  inputs: {
    image: link('IMAGE'),
    question: paragraph('Describe this picture.', 'What the model is asked about each picture.'),
    model: model('one with a projector'),
    seed: seed(),
    temperature: temperature(0.2),
    max_tokens: longest(256),
  },
  outputs: [output('STRING', 'text', { list: true })],
  async run({ image, question, max_tokens, ...values }, context) {
    const pictures = imageRaster(image);
    const texts: string[] = [];
    for (let index = 0; index < pictures.batch; index++) {
      const png = encodePng(toPixels(pictures, index), { texts: {}, level: 1 });
      const request = { ...values, text: question, instructions: '', maxTokens: max_tokens };
      texts.push(await chat({ ...request, images: [encodeBase64(png)] }, context));
    }
    return [texts];
  },
});

const embedText = node({
  ...shared,
  name: 'TabdEmbedText',
  displayName: 'Embed Text',
  description: 'The vector of a text: near in meaning is near in space.',
  inputs: { text: string({ multiline: true }), model: model('all-minilm') },
  outputs: [{ type: 'VECTOR', name: 'vector' }],
  async run({ text, model: named }, context) {
    const model = await modelFor(named, 'embedding', context);
    const answer = await askJson<{ embeddings: number[][] }>('/api/embed', { model, input: text }, context);
    const [vector] = answer.embeddings;
    if (!vector) throw new Error(`${model} gave no vector for this text`);
    return [vector];
  },
});

const similarity = node({
  ...shared,
  name: 'TabdSimilarity',
  displayName: 'Similarity',
  description: 'How near two vectors are: the cosine of the angle between them, 1 for the same meaning.',
  inputs: { first: anyOf('VECTOR'), second: anyOf('VECTOR') },
  outputs: [output('FLOAT', 'similarity')],
  run({ first, second }) {
    const [a, b] = [first as number[], second as number[]];
    if (a.length !== b.length)
      throw new TypeError(
        `vectors of ${a.length} and ${b.length} numbers come from different models: embed both texts with one`,
      );
    const dot = (one: number[], other: number[]) => one.reduce((sum, value, i) => sum + value * other[i]!, 0);
    const lengths = Math.sqrt(dot(a, a) * dot(b, b));
    return [lengths === 0 ? 0 : dot(a, b) / lengths];
  },
});

export const languageNodes: AnyNode[] = [generateText, expandPrompt, describeImage, embedText, similarity];
