import { describe, expect, test } from 'vitest';
import type { HeardSegment, HearRequest } from '#core/host';
import { type ScriptedWindow, scriptedWhisper } from '#test/support/local-models/whisper/scripted-network.ts';
import type { WhisperParts } from './decode-window.ts';
import { writeSpeech } from './write-speech.ts';

const never = new AbortController().signal;
const seconds = (count: number) => new Float32Array(count * 16_000);

async function hear(
  { parts }: { parts: WhisperParts },
  length: number,
  rest: Partial<HearRequest> = {},
  signal = never,
) {
  const segments: HeardSegment[] = [];
  const languages: string[] = [];
  const request: HearRequest = { samples: seconds(length), task: 'transcribe', words: false, ...rest };
  for await (const event of writeSpeech(parts, request, signal)) {
    if (event.type === 'segment') segments.push(event.segment);
    else languages.push(event.language);
  }
  return { segments, languages, texts: segments.map(({ text }) => text) };
}

const times = (segments: HeardSegment[]) => segments.map(({ start, end }) => [start, end]);

describe('windows', () => {
  test('a short recording is one window, whose phrases have times', async () => {
    const whisper = scriptedWhisper([{ says: [0, ' Good morning.', 1.5, 2, ' How are you?', 4] }]);
    const { segments, texts } = await hear(whisper, 5);
    expect(texts).toEqual([' Good morning.', ' How are you?']);
    expect(times(segments)).toEqual([
      [0, 1.5],
      [2, 4],
    ]);
    expect(segments[0]).toMatchObject({ seek: 0, temperature: 0 });
    expect(segments[0]!.averageLogprob).toBeCloseTo(0, 3);
    expect(whisper.encodings()).toBe(1);
  });

  test('a window that ends within a phrase is continued where the last complete phrase ended', async () => {
    const whisper = scriptedWhisper([
      { says: [0, ' One.', 10, 10, ' Two.', 24, 24, ' and thr'] },
      { says: [0, ' And three.', 3] },
    ]);
    const { segments, texts } = await hear(whisper, 30);
    expect(texts).toEqual([' One.', ' Two.', ' And three.']);
    expect(times(segments)).toEqual([
      [0, 10],
      [10, 24],
      [24, 27],
    ]);
    expect(segments.map(({ seek }) => seek)).toEqual([0, 0, 2400]);
  });

  test('text without a time at its end lasts until the end of the window', async () => {
    const { segments } = await hear(scriptedWhisper([{ says: [0, ' and so on'] }]), 7);
    expect(times(segments)).toEqual([[0, 7]]);
  });

  test('the text before guides the next window', async () => {
    const whisper = scriptedWhisper([{ says: [0, ' A.', 30] }, { says: [0, ' B.', 5] }]);
    await hear(whisper, 40, { language: 'de', prompt: 'Names: Ä ' });
    const { vocabulary, prompts } = whisper;
    const [first, second] = prompts;
    expect(first![0]).toBe(vocabulary.special('startofprev'));
    expect(vocabulary.text(first!)).toBe(' Names: Ä');
    expect(vocabulary.text(second!)).toBe(' Names: Ä A.');
  });

  test('a guiding text is cut from its start, so that a text of half the context fits', async () => {
    const whisper = scriptedWhisper([{ says: [0, ' A.', 3] }]);
    await hear(whisper, 3, { language: 'de', prompt: 'x'.repeat(1000) });
    expect(whisper.prompts[0]).toHaveLength(224 + 3);
  });

  test('silence is skipped', async () => {
    const whisper = scriptedWhisper([{ says: [0, ' Thank you.', 2], silence: 0.99, confidence: 0.001 }]);
    const { segments, languages } = await hear(whisper, 75, { language: 'en' });
    expect([segments, languages, whisper.encodings()]).toEqual([[], ['en'], 3]);
  });

  test('confident text counts although silence is probable', async () => {
    const { texts } = await hear(scriptedWhisper([{ says: [0, ' Hi.', 2], silence: 0.99 }]), 5);
    expect(texts).toEqual([' Hi.']);
  });

  test.each([0, 0.005])('%f seconds have no text', async (length) => {
    const whisper = scriptedWhisper([{ says: [0, ' Hi.', 2] }]);
    expect(await hear(whisper, length)).toMatchObject({ segments: [], languages: ['en'] });
    expect(whisper.encodings()).toBe(0);
  });

  test('text that never ends is cut at half of the context', async () => {
    const { segments } = await hear(scriptedWhisper([{ says: [0, 'abcdefghij'.repeat(100)] }]), 3);
    expect(segments[0]!.tokens).toHaveLength(224);
  });
});

describe('temperatures', () => {
  const repeated: ScriptedWindow = { says: [0, ' no no no no no no no no no no no no no no no no', 5] };

  test('a text that repeats itself is drawn again', async () => {
    const whisper = scriptedWhisper((_, attempt) => (attempt < 3 ? repeated : { says: [0, ' Yes.', 5] }));
    const { segments } = await hear(whisper, 5);
    expect(segments).toMatchObject([{ text: ' Yes.', temperature: 0.6 }]);
  });

  test('an improbable text is drawn up to the highest temperature', async () => {
    const whisper = scriptedWhisper([{ says: [0, ' Hm.', 5], confidence: 0.001 }]);
    const { prompts, vocabulary } = whisper;
    await hear(whisper, 5, { language: 'en' });
    const attempts = prompts.filter((prompt) => prompt.includes(vocabulary.special('transcribe')!));
    expect(attempts).toHaveLength(6);
  });

  test('a requested temperature is the only one', async () => {
    const whisper = scriptedWhisper([repeated]);
    const { segments } = await hear(whisper, 5, { temperature: 0.3 });
    expect(segments).toMatchObject([{ temperature: 0.3 }]);
  });

  test('a text of a high temperature does not guide the next window', async () => {
    const whisper = scriptedWhisper((window, attempt) =>
      window > 0 ? { says: [0, ' B.', 5] } : attempt < 4 ? repeated : { says: [0, ' A.', 30] },
    );
    await hear(whisper, 40, { language: 'en' });
    expect(whisper.prompts.at(-1)).not.toContain(whisper.vocabulary.special('startofprev'));
  });
});

describe('language and task', () => {
  test('the language is found once, in the first window', async () => {
    const whisper = scriptedWhisper([{ says: [0, ' A.', 30] }]);
    const { languages } = await hear(whisper, 65);
    const { vocabulary, prompts } = whisper;
    expect(languages).toEqual(['de']);
    expect(prompts.filter((prompt) => prompt.length === 1)).toHaveLength(1);
    expect(prompts[1]).toEqual([257, vocabulary.languages.get('de'), vocabulary.special('transcribe')]);
  });

  test('a translation has its token', async () => {
    const whisper = scriptedWhisper([{ says: [0, ' A.', 3] }]);
    await hear(whisper, 3, { language: 'zh', task: 'translate' });
    const { vocabulary, prompts } = whisper;
    expect(prompts[0]).toEqual([257, vocabulary.languages.get('zh'), vocabulary.special('translate')]);
  });

  test('a model that only hears English begins without a language', async () => {
    const whisper = scriptedWhisper([{ says: [0, ' A.', 3] }], { isMultilingual: false });
    expect(await hear(whisper, 3)).toMatchObject({ languages: ['en'] });
    expect(whisper.prompts[0]).toEqual([257]);
  });

  test.each<[string, Partial<HearRequest>, object, RegExp]>([
    ['a language that it lacks', { language: 'fr' }, {}, /does not know the language 'fr'/],
    ['another language than English', { language: 'de' }, { isMultilingual: false }, /language 'de'/],
    ['a translation', { task: 'translate' }, { isMultilingual: false }, /does not translate/],
    ['words without heads', { words: true }, { alignmentHeads: [] }, /times of words/],
  ])('refuses %s', async (_, rest, change, message) => {
    const whisper = scriptedWhisper([{ says: [] }], change);
    await expect(hear(whisper, 3, rest)).rejects.toMatchObject({
      name: 'RequestRefused',
      message: expect.stringMatching(message),
    });
    expect(whisper.encodings()).toBe(0);
  });
});

test('words have times within the recording', async () => {
  const whisper = scriptedWhisper([{ says: [0, ' ab cd.', 30] }, { says: [0, ' ef', 5] }]);
  const { segments } = await hear(whisper, 35, { words: true, language: 'en' });
  // Each byte is a token of 100 ms, after the tokens of the opening. The first word has the time before it.
  expect(segments.map(({ words }) => words)).toEqual([
    [
      { text: ' ab', start: 0, end: expect.closeTo(0.6) },
      { text: ' cd.', start: expect.closeTo(0.6), end: expect.closeTo(0.9) },
    ],
    [{ text: ' ef', start: 30, end: expect.closeTo(30.6) }],
  ]);
});

test('a client that disconnects ends the work', async () => {
  const client = new AbortController();
  const whisper = scriptedWhisper((window) => {
    if (window === 2) client.abort(new Error('left'));
    return { says: [0, ' A.', 30] };
  });
  await expect(hear(whisper, 3600, {}, client.signal)).rejects.toThrow('left');
  expect(whisper.encodings()).toBe(3);
});
