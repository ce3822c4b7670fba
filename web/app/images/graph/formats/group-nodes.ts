/**
 * Group nodes, which files had before subgraphs: a node `workflow>NAME` stands for the nodes of
 * `extra.groupNodes[NAME]`. Each becomes a subgraph with a definition of its own.
 */
import { type ExactJsonObject, isJsonObject, type JsonValue } from '#web/app/graph-editor/graph/value.ts';
import { asList, objectsIn } from './saved-fields.ts';

const PREFIX = /^workflow[>/]/;
/** The default ids of a definition's inputs and outputs. */
const [ENTRY, EXIT] = [-10, -20];

interface InnerLink {
  from: number;
  output: number;
  to: number;
  input: number;
}

/** The file with subgraphs in place of group nodes. Files without any stay as they are. */
export function withoutGroupNodes(file: ExactJsonObject): ExactJsonObject {
  const groups = isJsonObject(file.extra) && isJsonObject(file.extra.groupNodes) ? file.extra.groupNodes : {};
  const definitions: ExactJsonObject[] = [];
  const nodes = objectsIn(file.nodes).map((node) => {
    const name = String(node.type).replace(PREFIX, '');
    const group = PREFIX.test(String(node.type)) && Object.hasOwn(groups, name) ? groups[name] : undefined;
    if (!isJsonObject(group)) return node;
    const id = `${String(node.type)}#${String(node.id)}`;
    definitions.push(definitionOf(id, name, group, asList(node.widgets_values)));
    return { ...node, type: id, widgets_values: [] };
  });
  if (definitions.length === 0) return file;
  const definitionsOfFile = isJsonObject(file.definitions) ? file.definitions : {};
  const subgraphs = [...objectsIn(definitionsOfFile.subgraphs), ...definitions];
  return { ...file, nodes, definitions: { ...definitionsOfFile, subgraphs } };
}

/** @param values of all inner nodes, one after the other */
function definitionOf(
  id: string,
  name: string,
  group: ExactJsonObject,
  values: JsonValue[],
): ExactJsonObject {
  const inner = linksOf(group.links);
  const links: ExactJsonObject[] = [];
  const link = (from: number, output: number, to: number, input: number) =>
    links.push({
      id: links.length + 1,
      origin_id: from,
      origin_slot: output,
      target_id: to,
      target_slot: input,
    });
  const inputs: ExactJsonObject[] = [];
  const outputs: ExactJsonObject[] = [];
  let at = 0;
  const nodes = objectsIn(group.nodes).map((node, index) => {
    const ports = objectsIn(node.inputs).map((port): ExactJsonObject => ({ ...port, link: null }));
    for (const [input, port] of ports.entries()) {
      const source = inner.find((each) => each.to === index && each.input === input);
      if (source) link(source.from, source.output, index, input);
      else if (!isJsonObject(port.widget) && isShown(group, index, 'input', String(port.name), true))
        link(ENTRY, inputs.push({ name: `${index}.${input}`, type: port.type ?? '*' }) - 1, index, input);
      else continue;
      port.link = links.length;
    }
    for (const [output, port] of objectsIn(node.outputs).entries()) {
      const isInside = inner.some((each) => each.from === index && each.output === output);
      if (!isShown(group, index, 'output', String(output), !isInside)) continue;
      link(index, output, EXIT, outputs.push({ name: String(port.name), type: port.type ?? '*' }) - 1);
    }
    const count = asList(node.widgets_values).length;
    at += count;
    return {
      ...node,
      id: index,
      inputs: ports,
      ...(count > 0 && { widgets_values: values.slice(at - count, at) }),
    };
  });
  return { id, name, nodes, links, inputs, outputs };
}

/** Rows `[from, output, to, input, id, type]`, with indices of nodes. Those from or to the outside have no index. */
const linksOf = (links: JsonValue | undefined): InnerLink[] =>
  asList(links).flatMap((row) => {
    const [from, output, to, input] = asList(row);
    const isInside = [from, output, to, input].every((value) => typeof value === 'number');
    return isInside ? [{ from, output, to, input } as InnerLink] : [];
  });

/** Whether a socket of an inner node is one of the group node's, as its configuration says. */
function isShown(
  { config }: ExactJsonObject,
  index: number,
  side: 'input' | 'output',
  name: string,
  usually: boolean,
): boolean {
  const ofNode = isJsonObject(config) ? config[index] : undefined;
  const ofSide = isJsonObject(ofNode) ? ofNode[side] : undefined;
  const socket = isJsonObject(ofSide) ? ofSide[name] : undefined;
  return isJsonObject(socket) && typeof socket.visible === 'boolean' ? socket.visible : usually;
}
