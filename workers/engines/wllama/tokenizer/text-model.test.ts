// The browser's tokenizer compared with llama.cpp's, on the vocabulary of the default model.
import { openAsBlob } from 'node:fs';
import { getLlama, type LlamaModel } from 'node-llama-cpp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { smollm2 } from '#test/support/model-files/weights.ts';
import { readTextModel, type TextModel } from './text-model.ts';

let reference: LlamaModel;
let model: TextModel;

beforeAll(async () => {
  const path = await smollm2();
  const llama = await getLlama({ gpu: false, build: 'never' });
  reference = await llama.loadModel({ modelPath: path, vocabOnly: true });
  model = await readTextModel(await openAsBlob(path));
}, 120_000);

afterAll(() => reference?.dispose());

const texts: Record<string, string> = {
  'a sentence': 'Why is the sky blue?',
  'a rendered chat': '<|im_start|>user\nHi there<|im_end|>\n<|im_start|>assistant\n',
  'adjacent special tokens': '<|im_start|><|im_end|><|endoftext|>x<|im_start|>',
  'half a special token': '<|im_sta rt|> <|im_start',
  'contractions in both cases': "I'm sure they've said it's DON'T and I'LL, o'clock ''s",
  'digits and numbers': '12345 3.14159 2024-11-21 1,000,000 ٣٤٥ ½ ² Ⅷ',
  'spaces of all kinds': '  two   three\t\ttabs\u00a0nbsp\u3000wide\u2003em \n\n\r\n end  ',
  'only spaces': '      ',
  'a trailing newline': 'line\n',
  'composed and decomposed accents': 'naïve café cafe\u0301 Ångström',
  cjk: '你好，世界。東京タワー 서울',
  'right to left': 'שלום עולם مرحبا بالعالم',
  emoji: '🙂🙃 👩‍👩‍👧‍👦 🇩🇪 ❤️‍🔥',
  code: 'def f(x):\n    return {"a": [1, 2, 3], \'b\': x ** 2}  # ok\n',
  'punctuation runs': '!!!??? -- --- ... …— “quoted” (a)[b]{c} <tag/> @#$%^&*_+=|\\~`',
  'rare and private characters': '\u0000\u0007\ufeff\ufffd\ue000\u200b\u200d',
  'a long word': 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  'mixed scripts in a word': 'aбв123γδε_x',
};

test.each(Object.entries(texts))('tokenizes %s like llama.cpp', (_, text) => {
  expect(model.tokenize(text)).toEqual([...reference.tokenize(text, true)]);
});

test.each(Object.entries(texts))('restores the text of %s from its tokens', (_, text) => {
  const tokens = reference.tokenize(text, true);
  expect(model.detokenize([...tokens])).toBe(reference.detokenize(tokens, true));
  expect(model.detokenize([...tokens])).toBe(text);
});

test('tokenizes random text like llama.cpp', () => {
  // A fixed seed, so that a failure can be reproduced.
  let state = 42;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
  const ranges: [number, number][] = [
    [0x20, 0x7e],
    [0x20, 0x7e],
    [0xa0, 0x24f],
    [0x370, 0x4ff],
    [0x5d0, 0x6ff],
    [0x900, 0x97f],
    [0x2000, 0x206f],
    [0x3040, 0x30ff],
    [0x4e00, 0x9fff],
    [0x1f300, 0x1f6ff],
  ];
  for (let i = 0; i < 300; i++) {
    const text = Array.from({ length: 1 + random(40) }, () => {
      const [from, to] = ranges[random(ranges.length)]!;
      return String.fromCodePoint(from + random(to - from + 1));
    }).join('');
    expect(model.tokenize(text), JSON.stringify(text)).toEqual([...reference.tokenize(text, true)]);
  }
});

test('special tokens that an answer may show are those that do not end it', () => {
  expect(model.bos).toBe('<|im_start|>');
  const special = model.specialTokens(new Set([0, 2, 4]));
  expect(special).toContain('<|im_start|>');
  expect(special).not.toContain('<|im_end|>');
  expect(special).not.toContain('<|endoftext|>');
});

test('detokenize throws for an id outside the vocabulary', () => {
  expect(() => model.detokenize([10_000_000])).toThrow(RangeError);
});
