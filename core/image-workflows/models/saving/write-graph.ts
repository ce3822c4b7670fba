/** Writes the files of a graph with its weight changes applied. */
import type { FilePath, Files, FileWriter } from '#core/host';
import type { GraphPart, ModelGraph } from '../../values/model-graph.ts';
import { constantsOf } from '../graphs/graph-constants.ts';
import { readPart } from '../graphs/graph-source.ts';
import { blankMetadata, encodeMetadata, readMetadata } from './onnx-metadata.ts';

export interface GraphSavePlan {
  parts: GraphPart[];
  /** The bytes that are copied and overwritten, for progress reports. */
  bytes: number;
}

/** Files next to a graph that are not its data: other models, and texts and images about them. */
const UNRELATED = /\.(onnx|ort|md|safetensors|bin|ckpt|pt|pth|msgpack|png|jpe?g)$/i;
/** Bytes that are copied at a time. */
const CHUNK = 8 * 2 ** 20;
const GRAPH = 'model.onnx';

export async function planGraph(graph: ModelGraph): Promise<GraphSavePlan> {
  const { source } = graph;
  const outline = await source.outline();
  const dataFiles = new Set(outline.initializers.map(({ location }) => location?.file));
  const parts = (await source.parts()).filter(
    ({ role, name }) => role === 'weights' || dataFiles.has(name) || !UNRELATED.test(name),
  );
  let bytes = parts.reduce((sum, { size }) => sum + size, 0);
  for (const [name, { initializer }] of constantsOf(outline))
    if (initializer.location && graph.isChanged(name))
      bytes += initializer.location.end - initializer.location.start;
  return { parts, bytes };
}

export interface GraphSave {
  graph: ModelGraph;
  folder: FilePath;
  /** Metadata, which replaces texts of the same names. */
  texts: Readonly<Record<string, string>>;
  plan: GraphSavePlan;
}

/**
 * Writes `model.onnx` and its data into a folder. `model.onnx`, which makes the folder a model, is completed last. After
 * a failure nothing is left. Rejects with `StorageFull` or the signal's reason.
 *
 * @param onWritten receives the number of bytes after each write.
 */
export async function writeGraph(
  files: Files,
  { graph, folder, texts, plan }: GraphSave,
  onWritten: (bytes: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  // The graph's own file has the key undefined, as in edits.
  const writers = new Map<string | undefined, FileWriter>();
  let end = 0;
  const write = async (file: string | undefined, start: number, bytes: Uint8Array) => {
    signal.throwIfAborted();
    const writer = writers.get(file);
    if (!writer) throw new Error(`the graph's weights lie in a file that is missing: ${file}`);
    await writer.write(start, bytes);
    if (file === undefined) end = Math.max(end, start + bytes.length);
    await onWritten(bytes.length);
  };
  try {
    for (const part of plan.parts) {
      const { role, name, size } = part;
      const file = role === 'weights' ? undefined : name;
      writers.set(file, await files.create(`${folder}/${file ?? GRAPH}`));
      for (let start = 0; start < size; start += CHUNK)
        await write(file, start, await readPart(files, part, start, Math.min(start + CHUNK, size)));
    }
    for await (const { file, start, bytes } of graph.weightEdits(signal)) await write(file, start, bytes);
    const names = Object.keys(texts);
    if (names.length > 0) {
      const part = plan.parts.find(({ role }) => role === 'weights')!;
      const entries = await readMetadata(part.size, (from, to) => readPart(files, part, from, to));
      for (const { start, bytes } of blankMetadata(entries, names)) await write(undefined, start, bytes);
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
