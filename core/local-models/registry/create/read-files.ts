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
  for (const [path, digest] of files) {
    yield { status: 'parsing GGUF' };
    const info = await blobs.stat(digest);
    if (!info) throw new ApiError(500, `open blobs/${blobFileName(digest)}: no such file or directory`);
    if (!(await isGguf(blobs, digest))) throw new ApiError(400, 'supplied file was not in GGUF format');
    const role = roleOf(path, await orBadRequest(context.metadata.ofFile(digest)));
    modelFiles.push({ role, digest, size: info.size });
    yield { status: 'verifying conversion' };
  }
  return modelFiles;
}

function roleOf(path: string, { architecture, keyValues }: ModelMetadata): ModelFile['role'] {
  const values = new Map(keyValues);
  const count = (key: string) => Number(values.get(`${architecture}.${key}`) ?? 0);
  const parts = Number(values.get('split.count') ?? 0);
  if (parts > 1) {
    throw new ApiError(
      400,
      `${path} is one of ${parts} parts of a model: merge them into one GGUF file first`,
    );
  }
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
