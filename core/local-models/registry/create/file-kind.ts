import { type Digest, type Host, ModelCorrupt, type ModelFile } from '#core/host';
import { ApiError } from '#core/http';
import type { ModelMetadata } from '../../base/installed-model.ts';
import type { MetadataCache } from '../formats/metadata-cache.ts';
import type { PullProgress } from '../progress.ts';

type Files = [path: string, digest: Digest][];

const notGguf = 'supplied file was not in GGUF format';

/** Tells, by the first path that tells anything, what a set of files is. Throws ApiError 400 for what cannot be used. */
export async function refuseOtherFormats(blobs: Host['blobs'], files: Files): Promise<void> {
  for (const [path, digest] of files) {
    if (path.endsWith('.gguf')) return;
    if (path.endsWith('.safetensors')) {
      throw new ApiError(
        400,
        `${path}: safetensors files cannot be converted here; convert the model to GGUF and create it from that`,
      );
    }
    if ((await blobs.stat(digest)) && (await beginsAsGguf(blobs, digest))) return;
  }
  throw new ApiError(400, 'unknown type');
}

/** The files with their roles, as their own metadata tells. Throws ApiError with the documented texts. */
export async function* readFiles(
  context: { host: Pick<Host, 'blobs'>; metadata: MetadataCache },
  files: Files,
): AsyncGenerator<PullProgress, ModelFile[]> {
  const { blobs } = context.host;
  await refuseOtherFormats(blobs, files);
  const found: ModelFile[] = [];
  for (const [path, digest] of files) {
    yield { status: 'parsing GGUF' };
    const info = await blobs.stat(digest);
    if (!info) throw new ApiError(500, `open blobs/${digest.replace(':', '-')}: no such file or directory`);
    if (!(await beginsAsGguf(blobs, digest))) throw new ApiError(400, notGguf);
    const role = roleOf(path, await described(context.metadata, digest));
    found.push({ role, digest, size: info.size });
    yield { status: 'verifying conversion' };
  }
  return found;
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

async function described(metadata: MetadataCache, digest: Digest): Promise<ModelMetadata> {
  try {
    return await metadata.get(digest);
  } catch (error) {
    if (!(error instanceof ModelCorrupt)) throw error;
    throw new ApiError(400, error.message, { cause: error });
  }
}

async function beginsAsGguf(blobs: Host['blobs'], digest: Digest): Promise<boolean> {
  return (await new Response(blobs.read(digest, 0, 4) as ReadableStream<Uint8Array>).text()) === 'GGUF';
}
