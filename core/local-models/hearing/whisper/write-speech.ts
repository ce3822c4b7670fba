import { WHISPER_HOP, WHISPER_STEPS } from '#core/audio';
import { type HeardSegment, type HearEvent, type HearRequest, RequestRefused, type Tensor } from '#core/host';
import { compressionRatio } from './compression-ratio.ts';
import { decodeWindow, type WhisperParts, type WindowText } from './decode-window.ts';
import { type Phrase, STEPS_PER_TIME, splitPhrases } from './phrases.ts';
import { randomNumbers } from './random-numbers.ts';
import { TIMES_PER_SECOND } from './token-rules.ts';
import { windowLoudness } from './window-loudness.ts';
import { findWordTimes } from './word-times.ts';

const STEPS_PER_SECOND = TIMES_PER_SECOND * STEPS_PER_TIME;
/** Tried in this order while a text repeats itself or is improbable. */
const TEMPERATURES = [0, 0.2, 0.4, 0.6, 0.8, 1];
const MAX_COMPRESSION = 2.4;
const MIN_LOGPROB = -1;
const SILENCE = 0.6;
/** Above this temperature, the text does not guide the next window. */
const MAX_GUIDING_TEMPERATURE = 0.5;

/**
 * Writes speech of any length down, 30 seconds at a time: Radford et al., "Robust speech recognition", 2022, section 4.5.
 * The iterable throws `RequestRefused` for a language or task that the model lacks, the signal's reason, or as sessions do.
 */
export async function* writeSpeech(
  parts: WhisperParts,
  request: HearRequest,
  signal: AbortSignal,
): AsyncGenerator<HearEvent> {
  const { network, vocabulary, config } = parts;
  const { samples, words } = request;
  const isMultilingual = config.isMultilingual ?? vocabulary.languages.size > 1;
  checkRequest(parts, request, isMultilingual);
  const steps = Math.floor(samples.length / WHISPER_HOP);
  const random = randomNumbers();
  const earlier = request.prompt ? vocabulary.encode(` ${request.prompt.trim()}`) : [];
  let guidingFrom = 0;
  let language = isMultilingual ? request.language : 'en';
  for (let seek = 0; seek < steps; ) {
    const states = await network.encode(await windowLoudness(samples, seek, config.bands, signal), signal);
    const isFirst = seek === 0;
    language ??= await findLanguage(parts, states, signal);
    if (isFirst) yield { type: 'language', language };
    const opening = openingOf(parts, isMultilingual ? language : undefined, request.task);
    const windowSteps = Math.min(WHISPER_STEPS, steps - seek);
    const options = { before: earlier.slice(guidingFrom), opening, random };
    const text = await bestText(parts, states, options, request.temperature ?? 0, signal);
    if (isSilent(text)) {
      seek += windowSteps;
      continue;
    }
    const { phrases, advance } = splitPhrases(text.tokens, vocabulary.firstTime, windowSteps);
    const spoken = { opening, phrases: phrases.map(({ tokens }) => tokens), language, steps: windowSteps };
    const times = words ? await findWordTimes(parts, states, spoken, signal) : undefined;
    for (const [index, phrase] of phrases.entries()) {
      const segment = segmentOf(parts, phrase, text, seek);
      if (segment.text.trim() === '' || segment.start === segment.end) continue;
      const heard = times?.[index]?.map((word) => ({
        ...word,
        start: word.start + seek / STEPS_PER_SECOND,
        end: word.end + seek / STEPS_PER_SECOND,
      }));
      yield { type: 'segment', segment: { ...segment, ...(heard && { words: heard }) } };
      earlier.push(...phrase.tokens);
    }
    if (text.temperature > MAX_GUIDING_TEMPERATURE) guidingFrom = earlier.length;
    seek += advance;
  }
  if (steps === 0) yield { type: 'language', language: language ?? 'en' };
}

/** @throws RequestRefused */
function checkRequest(
  { network, vocabulary, config }: WhisperParts,
  { language, task, words }: HearRequest,
  isMultilingual: boolean,
): void {
  if (!isMultilingual && task === 'translate')
    throw new RequestRefused('this model only hears English: it does not translate');
  const isKnown = isMultilingual ? vocabulary.languages.has(language ?? 'en') : (language ?? 'en') === 'en';
  if (!isKnown) throw new RequestRefused(`this model does not know the language '${language}'`);
  if (words && (!network.hasAttention || config.alignmentHeads.length === 0))
    throw new RequestRefused(
      'this model does not return the times of words: pull one whose name ends with `_timestamped`',
    );
}

/** The tokens before a text. Without a language: those of a model that only hears English. */
function openingOf(
  { vocabulary, config }: WhisperParts,
  language: string | undefined,
  task: HearRequest['task'],
): number[] {
  if (language === undefined) return [config.start];
  return [config.start, vocabulary.languages.get(language), vocabulary.special(task)].filter(
    (token) => token !== undefined,
  );
}

/** The most probable language. */
async function findLanguage(
  { network, vocabulary, config }: WhisperParts,
  states: Tensor,
  signal: AbortSignal,
): Promise<string> {
  const { data } = await network.begin([config.start], states, signal);
  const byProbability = [...vocabulary.languages].sort(([, a], [, b]) => data[b]! - data[a]!);
  return byProbability[0]![0];
}

async function bestText(
  parts: WhisperParts,
  states: Tensor,
  options: { before: readonly number[]; opening: readonly number[]; random(): number },
  temperature: number,
  signal: AbortSignal,
): Promise<WindowText & { ratio: number }> {
  let best: (WindowText & { ratio: number }) | undefined;
  for (const tried of temperature > 0 ? [temperature] : TEMPERATURES) {
    const text = await decodeWindow(parts, states, { ...options, temperature: tried }, signal);
    best = { ...text, ratio: compressionRatio(parts.vocabulary.text(text.tokens).trim()) };
    const isGood = best.ratio <= MAX_COMPRESSION && best.averageLogprob >= MIN_LOGPROB;
    if (isGood || isSilent(best)) break;
  }
  return best!;
}

const isSilent = ({ noSpeechProbability, averageLogprob }: WindowText): boolean =>
  noSpeechProbability > SILENCE && averageLogprob < MIN_LOGPROB;

function segmentOf(
  { vocabulary }: WhisperParts,
  { start, end, tokens }: Phrase,
  window: WindowText,
  seek: number,
): HeardSegment {
  const text = vocabulary.text(tokens);
  const offset = seek / STEPS_PER_SECOND;
  const { temperature, averageLogprob, noSpeechProbability } = window;
  return {
    seek,
    start: offset + start,
    end: offset + end,
    text,
    tokens,
    temperature,
    averageLogprob,
    compressionRatio: compressionRatio(text.trim()),
    noSpeechProbability,
  };
}
