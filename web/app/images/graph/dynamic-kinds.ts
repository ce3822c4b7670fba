/**
 * Inputs of `/object_info` that follow from a node's values and links. `COMFY_AUTOGROW_V3` is a group that grows,
 * `COMFY_DYNAMICCOMBO_V3` a choice with inputs of its own, `COMFY_MATCHTYPE_V3` an input of a matching type.
 */
import type { Graph, GraphNode } from '../../graph-editor/graph/graph.ts';
import { type ExactJsonObject, isJsonObject, type JsonValue } from '../../graph-editor/graph/value.ts';
import type { InputKind } from '../../graph-editor/nodes/node-kind.ts';

/** The contents of a node: values by input name, and the names of the linked inputs. */
export interface NodeContents {
  values: Readonly<Record<string, JsonValue>>;
  linked: ReadonlySet<string>;
}

export const EMPTY: NodeContents = { values: {}, linked: new Set() };

export const contentsOf = (node: GraphNode, graph: Graph | undefined): NodeContents => ({
  values: node.values,
  linked: new Set((graph?.links ?? []).filter(({ to }) => to === node.id).map(({ input }) => input)),
});

/** Reads one input `[type, options]` that is not dynamic. */
export type ReadInput = (name: string, input: JsonValue[], required: boolean) => InputKind;

/** Groups without a published limit show at most so many members. */
const MOST_MEMBERS = 100;

/** The inputs of a section's description, with the members of groups and choices. */
export function readInputs(sections: ExactJsonObject, order: JsonValue, held: NodeContents, read: ReadInput) {
  return readSections(sections, isJsonObject(order) ? order : {}, '', held, read);
}

function readSections(
  sections: ExactJsonObject,
  order: ExactJsonObject,
  prefix: string,
  held: NodeContents,
  read: ReadInput,
): InputKind[] {
  return ['required', 'optional'].flatMap((section) => {
    const described = sections[section];
    if (!isJsonObject(described)) return [];
    const listed = order[section];
    const names = Array.isArray(listed) ? listed.map(String) : Object.keys(described);
    return names.flatMap((name) => {
      const input = described[name];
      return Array.isArray(input) ? expand(prefix + name, input, section === 'required', held, read) : [];
    });
  });
}

function expand(
  name: string,
  input: JsonValue[],
  required: boolean,
  held: NodeContents,
  read: ReadInput,
): InputKind[] {
  const [type, more] = input;
  const options = isJsonObject(more) ? more : {};
  if (type === 'COMFY_AUTOGROW_V3') return members(name, options, required, held, read);
  if (type === 'COMFY_DYNAMICCOMBO_V3') return chosen(name, options, required, held, read);
  if (type === 'COMFY_MATCHTYPE_V3') return [read(name, [allowedTypes(options), options], required)];
  return [read(name, input, required)];
}

const allowedTypes = ({ template }: ExactJsonObject): string =>
  isJsonObject(template) && typeof template.allowed_types === 'string' ? template.allowed_types : '*';

/** Shows the members that are there, one more, and at least as many as the node needs. */
function members(
  name: string,
  { template }: ExactJsonObject,
  required: boolean,
  held: NodeContents,
  read: ReadInput,
): InputKind[] {
  if (!isJsonObject(template)) return [];
  const min = Number(template.min ?? 0);
  const max = Number(template.max ?? MOST_MEMBERS);
  const names = Array.isArray(template.names)
    ? template.names.map(String)
    : Array.from({ length: Math.min(max, MOST_MEMBERS) }, (_, at) => `${String(template.prefix)}${at}`);
  const isHeld = (member: string) =>
    held.linked.has(`${name}.${member}`) || held.values[`${name}.${member}`] !== undefined;
  const count = Math.max(min, names.findLastIndex(isHeld) + 2);
  const spec = isJsonObject(template.input) ? readSections(template.input, {}, '', held, read)[0] : undefined;
  if (!spec) return [];
  return names.slice(0, count).map((member, at) => ({
    ...spec,
    name: `${name}.${member}`,
    label: member,
    required: required && at < min,
  }));
}

/** The choice, then the inputs of the chosen variant. */
function chosen(
  name: string,
  { options, ...rest }: ExactJsonObject,
  required: boolean,
  held: NodeContents,
  read: ReadInput,
): InputKind[] {
  const variants = Array.isArray(options) ? options.filter(isJsonObject) : [];
  const keys = variants.map(({ key }) => String(key));
  const key = held.values[name] ?? rest.default ?? keys[0] ?? '';
  const { inputs } = variants[keys.indexOf(String(key))] ?? {};
  // An output cannot be linked to the choice: which inputs there are must be known before a run.
  const { socket: _, ...choice } = read(name, ['COMBO', { ...rest, options: keys }], required);
  return [
    { ...choice, socket: undefined },
    ...(isJsonObject(inputs) ? readSections(inputs, {}, `${name}.`, held, read) : []),
  ];
}

/** Whether the inputs of a node depend on what it holds. */
export const isDynamic = (sections: ExactJsonObject): boolean =>
  Object.values(sections).some(
    (section) =>
      isJsonObject(section) &&
      Object.values(section).some(
        (input) => Array.isArray(input) && /^COMFY_(AUTOGROW|DYNAMICCOMBO)_V3$/.test(String(input[0])),
      ),
  );

/** The socket of an output of a matching type: the types that the inputs with its template take. */
export function matchingSocket(template: JsonValue | undefined, sections: ExactJsonObject): string {
  const inputs = Object.values(sections).flatMap((section) =>
    isJsonObject(section) ? Object.values(section) : [],
  );
  for (const input of inputs) {
    const options = Array.isArray(input) && isJsonObject(input[1]) ? input[1] : {};
    if (!isJsonObject(options.template)) continue;
    if (options.template.template_id === template) return allowedTypes(options);
    const member = isJsonObject(options.template.input)
      ? matchingSocket(template, options.template.input)
      : '*';
    if (member !== '*') return member;
  }
  return '*';
}
