/** The files of a model that speaks, as repositories of ONNX exports of Kokoro name them. */
import { ModelCorrupt, type ModelFile } from '#core/host';

/** Voices of American and British speakers. Those of other languages say nothing in English. */
const VOICE = /^voices\/([ab][fm](?:_[^/]+)?)\.bin$/;

/** The voice that a file holds: `voices/af_heart.bin` is `af_heart`. Undefined: none. */
export const voiceOfPath = (path: string): string | undefined => VOICE.exec(path)?.[1];

/** Finds the graph and the files of the voices by their names. Undefined: the files are those of another kind of model. */
export function voiceFiles<F extends { role: string; name?: string }>(
  files: readonly F[],
): { graph: F; voices: ReadonlyMap<string, F> } | undefined {
  const graph = files.find(({ role, name }) => role === 'weights' && name?.endsWith('.onnx'));
  const voices = new Map<string, F>();
  for (const file of files) {
    const voice = voiceOfPath(file.name ?? '');
    if (voice !== undefined) voices.set(voice, file);
  }
  return graph && voices.size > 0 ? { graph, voices } : undefined;
}

/**
 * Finds a voice by its name, or by the part after its language and sex: `alloy` is `af_alloy`. Empty: `af_heart`, or the
 * first one. Undefined: there is none of this name.
 */
export function findVoice(voices: Iterable<string>, name: string): string | undefined {
  const names = [...voices];
  if (name === '') return names.find((voice) => voice === 'af_heart') ?? names[0];
  return (
    names.find((voice) => voice === name) ?? names.find((voice) => voice.slice(3) === name.toLowerCase())
  );
}

/** Numbers of a voice for each length of a text. */
export const STYLE_WIDTH = 256;

/**
 * The longest text in tokens for which all voices have numbers.
 * @throws ModelCorrupt for a file that cannot be a voice
 */
export function longestText(voices: ReadonlyMap<string, Pick<ModelFile, 'size'>>): number {
  const rows = [...voices.values()].map(({ size }) => size / Float32Array.BYTES_PER_ELEMENT / STYLE_WIDTH);
  if (rows.some((count) => !Number.isInteger(count) || count < 2))
    throw new ModelCorrupt('one of its voices is cut off or damaged');
  return Math.min(...rows);
}

/**
 * The tokens of the symbols that a model reads, from its `tokenizer.json`.
 * @param read returns the bytes of a file
 * @throws ModelCorrupt for a file that is missing, or no tokenizer of single symbols
 */
export async function readVoiceVocabulary(
  files: readonly ModelFile[],
  read: (file: ModelFile) => Promise<Uint8Array>,
): Promise<ReadonlyMap<string, number>> {
  const file = files.find(({ role, name }) => role === 'tokenizer' && name?.endsWith('tokenizer.json'));
  if (!file) throw new ModelCorrupt('it came without a tokenizer.json');
  let vocabulary: unknown;
  try {
    vocabulary = JSON.parse(new TextDecoder().decode(await read(file)))?.model?.vocab;
  } catch (error) {
    throw new ModelCorrupt(`its tokenizer.json is no JSON: ${(error as Error).message}`);
  }
  const entries = Object.entries(vocabulary ?? {}).filter(
    (entry): entry is [string, number] => Number.isInteger(entry[1]) && Number(entry[1]) >= 0,
  );
  if (typeof vocabulary !== 'object' || entries.length === 0)
    throw new ModelCorrupt('its tokenizer.json has no vocabulary');
  return new Map(entries);
}
