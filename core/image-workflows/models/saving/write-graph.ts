/** The files of a graph written with its weights as they are when it is open. */
import type { FilePath, Files, FileWriter, NamedGraphFile } from '#core/host';
import type { ModelGraph } from '../../values/model-graph.ts';
import { constantsOf } from '../graphs/graph-constants.ts';
import { blankMetadata, encodeMetadata, readMetadata } from './onnx-metadata.ts';

export interface GraphSavePlan {
  parts: NamedGraphFile[];
  /** To be copied, and to be changed after that. */
  bytes: number;
}

/** What is no data of a graph, where the graph does not name it: other models, and texts about them. */
const OTHERS = /\.(onnx|ort|md|safetensors|bin|ckpt|pt|pth|msgpack|png|jpe?g)$/i;
/** Bytes that are copied at a time. */
const PIECE = 8 * 2 ** 20;
const GRAPH = 'model.onnx';

export async function planGraph(graph: ModelGraph): Promise<GraphSavePlan> {
  const { source } = graph;
  const outline = await source.outline();
  const named = new Set(outline.initializers.map(({ location: place }) => place?.file));
  const parts = (await source.parts()).filter(
    ({ role, name }) => role === 'weights' || named.has(name) || !OTHERS.test(name),
  );
  let bytes = parts.reduce((sum, { size }) => sum + size, 0);
  for (const [name, { initializer }] of constantsOf(outline))
    if (initializer.location && graph.isChanged(name))
      bytes += initializer.location.end - initializer.location.start;
  return { parts, bytes };
}

/**
 * As `model.onnx` in `folder`, the data beside it. The graph's own file, by which it is told, comes last. `texts` take the place
 * of those of the same names. Nothing that was not finished stays.
 */
export async function writeGraph(
  files: Files,
  {
    graph,
    folder,
    texts,
    work,
  }: { graph: ModelGraph; folder: FilePath; texts: Readonly<Record<string, string>>; work: GraphSavePlan },
  advance: (bytes: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const writers = new Map<string | undefined, FileWriter>();
  let end = 0;
  const write = async (file: string | undefined, start: number, bytes: Uint8Array) => {
    signal.throwIfAborted();
    const writer = writers.get(file);
    if (!writer) throw new Error(`the graph's weights lie in a file that is not there: ${file}`);
    await writer.write(start, bytes);
    if (file === undefined) end = Math.max(end, start + bytes.length);
    await advance(bytes.length);
  };
  try {
    for (const { role, name, size, path } of work.parts) {
      const file = role === 'weights' ? undefined : name;
      writers.set(file, await files.create(`${folder}/${file ?? GRAPH}`));
      for (let start = 0; start < size; start += PIECE)
        await write(file, start, await files.read(path, start, Math.min(start + PIECE, size)));
    }
    for await (const { file, start, bytes } of graph.weightEdits(signal)) await write(file, start, bytes);
    const names = Object.keys(texts);
    if (names.length > 0) {
      const { path, size } = work.parts.find(({ role }) => role === 'weights')!;
      const known = await readMetadata(size, (from, to) => files.read(path, from, to));
      for (const { start, bytes } of blankMetadata(known, names)) await write(undefined, start, bytes);
      await write(undefined, end, encodeMetadata(texts));
    }
    for (const [file, writer] of writers) if (file !== undefined) await writer.close();
    signal.throwIfAborted();
    await writers.get(undefined)!.close();
  } catch (error) {
    for (const writer of writers.values()) await writer.abort();
    throw error;
  }
}
