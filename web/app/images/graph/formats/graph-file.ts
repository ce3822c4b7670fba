/** Reads graphs from files: both of ComfyUI's JSON formats, and PNG images that contain them. */
import { PngTexts, readChunks } from '#core/image-codecs';
import { ApiClientError } from '#web/app/api-client.ts';
import { type Graph, moveNodes } from '#web/app/graph-editor/graph/graph.ts';
import { isJsonObject, type JsonValue, parseExactJson } from '#web/app/graph-editor/graph/value.ts';
import { placeNodes } from '#web/app/graph-editor/layout/place-nodes.ts';
import { kindOf } from '#web/app/graph-editor/nodes/kind-of.ts';
import { nodeGeometry } from '#web/app/graph-editor/nodes/node-geometry.ts';
import type { NodeKinds } from '#web/app/graph-editor/nodes/node-kind.ts';
import { graphStrings } from '#web/app/graph-editor/strings.ts';
import { isApiFormat, readApiFormat } from './api-format.ts';
import { isSavedFormat, readSavedFormat } from './saved-format.ts';

/** Reads a JSON or PNG file. Throws `ApiClientError` with a readable message. */
export async function readGraphFile(file: Blob, kinds: NodeKinds): Promise<Graph> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== 0x89 || bytes[1] !== 0x50) return readGraphText(new TextDecoder().decode(bytes), kinds);
  const texts = new PngTexts();
  for (const chunk of readChunks(bytes)) if (/^(tEXt|zTXt|iTXt)$/.test(chunk.type)) texts.read(chunk);
  const { workflow, prompt } = texts.byKeyword;
  if (workflow === undefined && prompt === undefined) throw new ApiClientError(graphStrings.noGraphInImage);
  // The text `workflow` contains the layout, but some programs write an empty one.
  try {
    if (workflow !== undefined) return readGraphText(workflow, kinds);
  } catch (error) {
    if (prompt === undefined) throw error;
  }
  return readGraphText(prompt!, kinds);
}

/** Reads JSON in either format. Throws `ApiClientError` with a readable message. */
export function readGraphText(text: string, kinds: NodeKinds): Graph {
  let value: JsonValue;
  try {
    value = parseExactJson(text);
  } catch (error) {
    throw new ApiClientError(graphStrings.notJson((error as Error).message));
  }
  if (isJsonObject(value) && isJsonObject(value.prompt) && isApiFormat(value.prompt)) value = value.prompt;
  if (isSavedFormat(value)) return readSavedFormat(value, kinds);
  if (isApiFormat(value)) return withLayout(readApiFormat(value, kinds), kinds);
  throw new ApiClientError(graphStrings.notGraph);
}

/** Lays out a graph without positions. */
export function withLayout(graph: Graph, kinds: NodeKinds): Graph {
  return moveNodes(
    graph,
    placeNodes(graph, (id) => {
      const node = graph.nodes.get(id)!;
      return nodeGeometry(kindOf(kinds, node, graph), node);
    }),
  );
}
