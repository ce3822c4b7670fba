/** Adds files of models, for the server's own pages: their kind by their first bytes, then the files in pieces. */
import { EngineError, ModelCorrupt } from '#core/host';
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import { isModelFile, LOADED_FOLDERS } from '../files/model-folders.ts';
import { joinPath, relativePath } from '../files/paths.ts';
import { kindOfWeights } from '../models/checkpoints/folder-of-weights.ts';
import { readTensorTable } from '../models/weight-files/read-weight-file.ts';
import { type ByteRange, SentRanges } from '../models/weight-files/sent-ranges.ts';
import { hasPrefix } from '../models/weight-files/weight-table.ts';
import { readForm, readUpload } from '../request-body.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';

/** Folders that may take a file of weights. */
const FOLDERS: readonly string[] = LOADED_FOLDERS.filter(
  (name) => !['configs', 'custom_nodes', 'diffusers'].includes(name),
);

/** The names of the layers of text encoders that generate texts, too. */
const LANGUAGE_LAYERS = 'model.layers.';

/**
 * The kind of a file by some of its bytes. A form has `name`, `size`, `ranges` as JSON, and their `bytes` in one file.
 * The answer names further ranges that are needed, or the kind and its folder. It has the list of folders alone when the
 * kind is unclear. A GGUF file of another kind is a language model. Some language models are text encoders as well.
 */
export async function findModelKind(_server: ImageServer, call: RouteCall): Promise<Response> {
  const form = await readForm(call);
  const bytes = form?.get('bytes');
  if (!form || !bytes || typeof bytes === 'string')
    throw new ApiError(400, 'a form with a file "bytes" is needed');
  const name = modelName(form.get('name'));
  const size = fileSize(Number(form.get('size')));
  const sent = sentRanges(String(form.get('ranges') ?? '[]'), new Uint8Array(await bytes.arrayBuffer()));
  try {
    const entries = await readTensorTable(sent, name, size);
    const table = new Map(entries.map(({ name: key, ...rest }) => [key, { file: name, ...rest }]));
    const kind = kindOfWeights(table);
    const tensors = entries.length;
    if (/\.gguf$/i.test(name) && (!kind || hasPrefix(table, LANGUAGE_LAYERS)))
      return pythonJsonResponse({
        ...(kind && { kind: kind.name, folders: [kind.folder] }),
        isLanguageModel: true,
        tensors,
      });
    return pythonJsonResponse(
      kind ? { kind: kind.name, folder: kind.folder, tensors } : { folders: FOLDERS, tensors },
    );
  } catch (error) {
    if (sent.missing.length > 0) return pythonJsonResponse({ need: sent.missing });
    if (error instanceof ModelCorrupt)
      throw new ApiError(400, `${error.message}. It may be incomplete: download or copy it again`);
    if (error instanceof EngineError) throw new ApiError(400, error.message);
    throw error;
  }
}

/** Begins a file. The query has its `folder`, its `name` and its `size` in bytes. */
export async function beginModelFile({ uploads }: ImageServer, { url }: RouteCall): Promise<Response> {
  const [folder, name, size] = ['folder', 'name', 'size'].map((key) => url.searchParams.get(key) ?? '');
  if (!FOLDERS.includes(folder!)) throw new ApiError(400, `folder must be one of ${FOLDERS.join(', ')}`);
  const path = joinPath('models', folder!, modelName(name));
  return pythonJsonResponse({ id: await uploads.begin(path, fileSize(Number(size || 'none'))) });
}

/** Adds the body to a file, at the query's `start`. */
export async function addModelPiece({ uploads }: ImageServer, call: RouteCall): Promise<Response> {
  const start = Number(call.url.searchParams.get('start'));
  return pythonJsonResponse({ written: await uploads.write(call.params.id!, start, await readUpload(call)) });
}

export async function finishModelFile({ uploads }: ImageServer, { params }: RouteCall): Promise<Response> {
  return pythonJsonResponse({ path: await uploads.finish(params.id!) });
}

export async function cancelModelFile({ uploads }: ImageServer, { params }: RouteCall): Promise<Response> {
  await uploads.cancel(params.id!);
  return emptyResponse(204);
}

function sentRanges(text: string, bytes: Uint8Array<ArrayBuffer>): SentRanges {
  try {
    return new SentRanges(JSON.parse(text) as ByteRange[], bytes);
  } catch (error) {
    throw new ApiError(400, `ranges is no list of ranges: ${(error as Error).message}`);
  }
}

function modelName(value: unknown): string {
  const name = typeof value === 'string' ? relativePath(value) : undefined;
  if (!name || name.includes('/') || !isModelFile(name))
    throw new ApiError(
      400,
      `${JSON.stringify(value ?? '')} is no name of a model file: it must end in .safetensors, .ckpt, .pt, .pth, .bin or .gguf`,
    );
  return name;
}

function fileSize(size: number): number {
  if (!Number.isSafeInteger(size) || size < 0) throw new ApiError(400, 'size must be a number of bytes');
  return size;
}
