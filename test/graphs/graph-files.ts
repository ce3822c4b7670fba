/** Published graphs in folders, as prompts of the API. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseExactJson, printExactJson } from '#web/app/graph-editor/graph/value.ts';
import type { NodeKinds } from '#web/app/graph-editor/nodes/node-kind.ts';
import { toApiFormat } from '#web/app/images/graph/formats/api-format.ts';
import { readGraphText } from '#web/app/images/graph/formats/graph-file.ts';
import { readKinds } from '#web/app/images/graph/object-info.ts';

/** `{id: {class_type, inputs}}`. */
export type ApiPrompt = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

/** Lists of templates, and graphs whose nodes call a paid service. */
const LEFT_OUT = /^(index\b|index_|api_|fuse_options|manifest)/;

/** The names of the graphs in a folder, without `.json`. */
export const graphNames = async (folder: string): Promise<string[]> =>
  (await readdir(folder))
    .filter((name) => name.endsWith('.json') && !LEFT_OUT.test(name))
    .map((name) => name.replace(/\.json$/, ''))
    .sort();

export const graphText = (folder: string, name: string): Promise<string> =>
  readFile(join(folder, `${name}.json`), 'utf8');

/** The nodes of a server as editors read them. */
export async function nodeKinds(server: {
  ask(method: string, path: string): Promise<Response>;
}): Promise<NodeKinds> {
  return readKinds(parseExactJson(await (await server.ask('GET', '/object_info')).text()));
}

/** The graph as the editor sends it. Its numbers lose digits that no float has. */
export const promptOf = (text: string, kinds: NodeKinds): ApiPrompt =>
  JSON.parse(printExactJson(toApiFormat(readGraphText(text, kinds), kinds)));
