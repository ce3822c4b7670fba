import { blobFileName, type Digest, type Host, type ModelFile } from '#core/host';
import { ApiError } from '#core/http';
import type { ModelMetadata } from '../../base/installed-model.ts';
import type { MetadataCache } from '../formats/metadata-cache.ts';
import { orBadRequest } from '../formats/or-bad-request.ts';
import { readBlobRange } from '../formats/read-blob-range.ts';
import type { PullProgress } from '../progress.ts';

type Files = [path: string, digest: Digest][];

/**
 * Checks that files are GGUF files. The first path with a known ending decides, or the first file's content.
 * @throws ApiError 400 for other formats
 */
export async function refuseOtherFormats(blobs: Host['blobs'], files: Files): Promise<void> {
  for (const [path, digest] of files) {
    if (path.endsWith('.gguf')) return;
    if (path.endsWith('.safetensors')) {
      throw new ApiError(
        400,
        `${path}: safetensors files cannot be converted here; convert the model to GGUF and create it from that`,
      );
    }
    if ((await blobs.stat(digest)) && (await isGguf(blobs, digest))) return;
  }
  throw new ApiError(400, 'unknown type');
}

/**
 * The uploaded files with their roles, which their metadata determines.
 * @throws ApiError with Ollama's texts
 */
export async function* readFiles(
  context: { host: Pick<Host, 'blobs'>; metadata: MetadataCache },
  files: Files,
): AsyncGenerator<PullProgress, ModelFile[]> {
  const { blobs } = context.host;
  await refuseOtherFormats(blobs, files);
  const modelFiles: ModelFile[] = [];
  const parts: SplitPart[] = [];
  for (const [path, digest] of files) {
    yield { status: 'parsing GGUF' };
    const info = await blobs.stat(digest);
    if (!info) throw new ApiError(500, `open blobs/${blobFileName(digest)}: no such file or directory`);
    if (!(await isGguf(blobs, digest))) throw new ApiError(400, 'supplied file was not in GGUF format');
    const metadata = await orBadRequest(context.metadata.ofFile(digest));
    const part = splitPart(metadata);
    if (part) parts.push({ path, ...part, file: { role: 'part', digest, size: info.size } });
    else modelFiles.push({ role: roleOf(metadata), digest, size: info.size });
    yield { status: 'verifying conversion' };
  }
  return [...(await joinedParts(context.metadata, parts)), ...modelFiles];
}

/** The weights among the files of a model. @throws ApiError 400 for files of several models */
export function weightsOf(files: readonly ModelFile[]): ModelFile | undefined {
  const [weights, another] = files.filter(({ role }) => role === 'weights');
  if (another) throw new ApiError(400, 'more than one model is among the files');
  return weights;
}

/** A file of a model that `gguf-split` of llama.cpp divided. */
interface SplitPart {
  path: string;
  /** From 0. */
  number: number;
  count: number;
  file: ModelFile;
}

/** The place of a file among the parts of its model. Undefined for a model in one file. */
function splitPart({ keyValues }: ModelMetadata): Pick<SplitPart, 'number' | 'count'> | undefined {
  const values = new Map(keyValues);
  const [number, count] = ['split.no', 'split.count'].map((key) => Number(values.get(key) ?? 0));
  return count! > 1 ? { number: number!, count: count! } : undefined;
}

/**
 * The parts of a model in their order, whatever the order of the request. The first part has the role `weights`.
 * @throws ApiError 400 when one is missing, is there twice, or belongs to another model
 */
async function joinedParts(metadata: MetadataCache, parts: SplitPart[]): Promise<ModelFile[]> {
  const [any] = parts;
  if (!any) return [];
  if (parts.length < any.count) {
    throw new ApiError(
      400,
      `${any.path} is part ${any.number + 1} of ${any.count} of a model: name all ${any.count} files`,
    );
  }
  const [first, ...others] = parts.toSorted((a, b) => a.number - b.number).map(({ file }) => file);
  const files: ModelFile[] = [{ ...first!, role: 'weights' }, ...others];
  await orBadRequest(metadata.ofModel(files, 'gguf'));
  return files;
}

function roleOf({ architecture, keyValues }: ModelMetadata): ModelFile['role'] {
  const values = new Map(keyValues);
  const count = (key: string) => Number(values.get(`${architecture}.${key}`) ?? 0);
  const type = values.get('general.type');
  if (type === 'adapter') return 'adapter';
  const isEncoder = count('block_count') === 0 && count('vision.block_count') > 0;
  if (architecture === 'clip' || type === 'projector' || type === 'mmproj' || isEncoder) return 'projector';
  return 'weights';
}

/** Whether a blob begins with the magic of GGUF. */
async function isGguf(blobs: Host['blobs'], digest: Digest): Promise<boolean> {
  return new TextDecoder().decode(await readBlobRange(blobs, digest, 0, 4)) === 'GGUF';
}
