/**
 * The tokenizers of text encoders in files of weights. Their data is searched in the file itself, next to it, and in
 * `models/tokenizers`. Otherwise it is fetched from the model hub, once.
 */
import { type FilePath, type Host, ModelCorrupt } from '#core/host';
import type { StoredTensor } from '#core/tensors';
import type { PromptTokenizer } from '../../text/prompt-tokens.ts';
import { sentencePieceTable } from '../../text/sentence-piece-model.ts';
import { tableTokenizer } from '../../text/table-tokenizer.ts';
import { isTekken, tekkenTable } from '../../text/tekken-table.ts';
import { type TokenizerName, tokenizerKind } from '../../text/tokenizer-kinds.ts';
import { wordPieceTable } from '../../text/word-piece-table.ts';
import { readTensor, type WeightFile } from '../weight-files/read-weight-file.ts';
import { fetchTokenizer } from './fetch-tokenizer.ts';

/** Opens a tokenizer at its first call. Rejects when it is damaged, or cannot be fetched. */
export type TokenizerSource = (signal: AbortSignal) => Promise<PromptTokenizer>;

/** The folder of fetched tokenizers, with a folder for each. A person may put files there, too. */
const TOKENIZERS = 'models/tokenizers';
const TABLE = 'tokenizer.json';
/** The usual name of a vocabulary of BERT. */
const VOCABULARY = 'vocab.txt';
/** Usual names of a file with a tokenizer. Those that are no JSON are models of SentencePiece. */
const NAMES = [TABLE, 'tekken.json', 'spiece.model', 'tokenizer.model'];

/** The tensors in which published files bring their tokenizer along. */
const TENSORS = { tokenizer_json: TABLE, tekken_model: 'tekken.json', spiece_model: 'spiece.model' };

interface TokenizerData {
  /** For messages. */
  name: string;
  bytes: Uint8Array;
}

/** The tokenizer of an encoder in `file`. @param name as in `tokenizers.json` */
export function tokenizerSource(host: Host, file: WeightFile, name: TokenizerName): TokenizerSource {
  let opened: Promise<PromptTokenizer> | undefined;
  return (signal) => {
    const opening = opened ?? openTokenizer(host, file, name, signal);
    opened = opening;
    // A tokenizer that could not be fetched is tried again.
    opening.catch(() => {
      opened = undefined;
    });
    return opening;
  };
}

async function openTokenizer(
  host: Host,
  file: WeightFile,
  name: TokenizerName,
  signal: AbortSignal,
): Promise<PromptTokenizer> {
  const { file: published = TABLE, isWordPiece, isNeverBundled } = tokenizerKind(name);
  const bundled = isWordPiece || isNeverBundled ? undefined : await tensorData(host, file);
  const stored = bundled ?? (await nearbyData(host, file.path, name));
  if (stored) return readTokenizer(stored, name);
  const place = `${TOKENIZERS}/${name}/${published.slice(published.lastIndexOf('/') + 1)}`;
  const { bytes, url } = await fetchTokenizer(host, name, published, place, signal);
  const tokenizer = readTokenizer({ name: url, bytes }, name);
  await host.files.write(place, bytes);
  return tokenizer;
}

async function tensorData(host: Host, file: WeightFile): Promise<TokenizerData | undefined> {
  for (const [key, form] of Object.entries(TENSORS)) {
    const tensor = bundledTensor(file, key);
    if (!tensor) continue;
    const bytes = await readTensor(host.files, file, tensor);
    return { name: `${form} in ${file.name}`, bytes };
  }
  return undefined;
}

/** A tensor of bytes. In checkpoints, its name begins with that of the encoder. */
function bundledTensor(file: WeightFile, key: string): StoredTensor | undefined {
  for (const [name, tensor] of file.table)
    if ((name === key || name.endsWith(`.${key}`)) && tensor.type === 'U8') return tensor;
  return undefined;
}

/** The files of this tokenizer among the person's files. */
async function nearbyData(
  host: Host,
  path: FilePath,
  name: TokenizerName,
): Promise<TokenizerData | undefined> {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const stem = path.replace(/\.[^./]*$/, '');
  // The top folder of a kind holds encoders of several kinds: there, a file must bear the encoder's name.
  const isOwnFolder = folder.split('/').length > 2;
  const { isWordPiece, isNeverBundled, file: published = TABLE } = tokenizerKind(name);
  const fileName = published.slice(published.lastIndexOf('/') + 1);
  const names = isWordPiece ? [VOCABULARY, TABLE] : [...new Set([fileName, ...NAMES])];
  const candidates = [
    ...(isNeverBundled ? [] : names.map((file) => `${stem}.${file}`)),
    ...(isOwnFolder && !isNeverBundled ? names.map((file) => `${folder}/${file}`) : []),
    ...names.map((file) => `${TOKENIZERS}/${name}/${file}`),
  ];
  for (const candidate of candidates)
    if ((await host.files.stat(candidate))?.kind === 'file')
      return { name: candidate, bytes: await host.files.read(candidate) };
  return undefined;
}

const wordPieceText = (bytes: Uint8Array): object => wordPieceTable(new TextDecoder().decode(bytes));

function readTokenizer({ name, bytes }: TokenizerData, kind: TokenizerName): PromptTokenizer {
  try {
    const isJson = bytes[0] === '{'.charCodeAt(0);
    const own = tokenizerKind(kind);
    if (isJson) {
      const table = JSON.parse(new TextDecoder().decode(bytes)) as object;
      return tableTokenizer(isTekken(table) ? tekkenTable(table) : table, {}, own);
    }
    const readTable = own.isWordPiece ? wordPieceText : sentencePieceTable;
    return tableTokenizer(readTable(bytes), {}, own);
  } catch (error) {
    const { label, repository, file = TABLE } = tokenizerKind(kind);
    const reason = error instanceof Error ? error.message : String(error);
    throw new ModelCorrupt(
      `${name} is no tokenizer of ${label}: ${reason}. Replace it by ${file} of ${repository}`,
      { cause: error },
    );
  }
}
