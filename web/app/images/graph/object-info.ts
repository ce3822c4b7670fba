/** Reads the kinds of image nodes from `/object_info`. */

import {
  type ExactJsonObject,
  isJsonObject,
  type JsonValue,
  printExactJson,
} from '../../graph-editor/graph/value.ts';
import type { InputKind, NodeKind, NodeKinds, Widget } from '../../graph-editor/nodes/node-kind.ts';
import {
  contentsOf,
  EMPTY,
  isDynamic,
  matchingSocket,
  type NodeContents,
  readInputs,
} from './dynamic-kinds.ts';
import { noteKinds } from './notes.ts';

/** `answer` is the parsed body of `/object_info`. Invalid entries are skipped. */
export function readKinds(answer: JsonValue): NodeKinds {
  const kinds = new Map<string, NodeKind>(noteKinds.map((kind) => [kind.type, kind]));
  const dynamic = new Map<string, DynamicKind>();
  for (const [type, info] of Object.entries(isJsonObject(answer) ? answer : {})) {
    if (!isJsonObject(info)) continue;
    kinds.set(type, readKind(type, info, EMPTY));
    if (isDynamic(sectionsOf(info))) dynamic.set(type, new DynamicKind(type, info));
  }
  const all = [...kinds.values()];
  return {
    get: (type) => kinds.get(type),
    forNode: (node, graph) => dynamic.get(node.type)?.of(contentsOf(node, graph)),
    all: () => all,
    canConnect: socketsMatch,
  };
}

/**
 * Whether an output type may be connected to an input type, by ComfyUI's rules. Types are names, unions `IMAGE,FLOAT`,
 * lists of choices, and `*` for any type.
 */
export function socketsMatch(output: string, input: string): boolean {
  if (output === '*' || input === '*' || output === input) return true;
  if (output.startsWith('[') || input.startsWith('[')) return output === 'COMBO' || input === 'COMBO';
  const outputs = new Set(output.split(',').map((part) => part.trim()));
  return input.split(',').some((part) => part.trim() === '*' || outputs.has(part.trim()));
}

/** A kind whose inputs follow from the node. Nodes with the same inputs share one object. */
class DynamicKind {
  readonly #kinds = new Map<string, NodeKind>();

  constructor(
    private readonly type: string,
    private readonly info: ExactJsonObject,
  ) {}

  of(held: NodeContents): NodeKind {
    const kind = readKind(this.type, this.info, held);
    const key = kind.inputs.map(({ name }) => name).join();
    const shared = this.#kinds.get(key) ?? kind;
    this.#kinds.set(key, shared);
    return shared;
  }
}

const sectionsOf = (info: ExactJsonObject): ExactJsonObject => (isJsonObject(info.input) ? info.input : {});

function readKind(type: string, info: ExactJsonObject, held: NodeContents): NodeKind {
  const sections = sectionsOf(info);
  const inputs = readInputs(sections, info.input_order ?? null, held, readInput);
  const matches = Array.isArray(info.output_matchtypes) ? info.output_matchtypes : [];
  const names = Array.isArray(info.output_name) ? info.output_name : [];
  const helps = Array.isArray(info.output_tooltips) ? info.output_tooltips : [];
  return {
    type,
    title: text(info.display_name) || type,
    category: (text(info.category) || '').split('/').filter(Boolean),
    ...(text(info.description) && { help: text(info.description)! }),
    inputs,
    outputs: (Array.isArray(info.output) ? info.output : []).map((output, at) => ({
      label: text(names[at]) || (Array.isArray(output) ? 'COMBO' : String(output)),
      socket: output === 'COMFY_MATCHTYPE_V3' ? matchingSocket(matches[at], sections) : socketOf(output),
      help: text(helps[at]),
    })),
    ...(info.output_node === true && { isResult: true }),
    ...(info.deprecated === true && { hidden: true }),
  };
}

function readInput(name: string, [type, more]: JsonValue[], required: boolean): InputKind {
  const options = isJsonObject(more) ? more : {};
  const widget = options.forceInput === true ? undefined : readWidget(type!, options);
  return {
    name,
    label: name.replaceAll('_', ' '),
    socket: socketOf(type!),
    required,
    help: text(options.tooltip),
    ...(widget && { widget }),
  };
}

function readWidget(type: JsonValue, options: ExactJsonObject): Widget | undefined {
  if (Array.isArray(type)) return choice(type, options);
  switch (type) {
    case 'COMBO':
      return choice(Array.isArray(options.options) ? options.options : [], options);
    case 'INT': {
      const min = integer(options.min);
      const max = integer(options.max);
      const initial = integer(options.default) ?? (min !== undefined && min > 0 ? min : 0);
      return {
        kind: 'integer',
        initial,
        min,
        max,
        step: Number(options.step ?? 1) || 1,
        ...(options.control_after_generate === true && { changesAfterRun: true }),
      };
    }
    case 'FLOAT':
      return {
        kind: 'number',
        initial: number(options.default) ?? Math.max(0, number(options.min) ?? 0),
        min: number(options.min),
        max: number(options.max),
        step: number(options.step) ?? 0.01,
      };
    case 'STRING':
      return {
        kind: 'text',
        initial: text(options.default) ?? '',
        multiline: options.multiline === true,
        hint: text(options.placeholder),
        ...(options.dynamicPrompts === true && { hasAlternatives: true }),
      };
    case 'BOOLEAN':
      return {
        kind: 'switch',
        initial: options.default === true,
        on: text(options.label_on),
        off: text(options.label_off),
      };
    default:
      return undefined;
  }
}

/** Options of inputs that accept uploads, with the media type of the files. */
const UPLOADS: readonly [option: string, accept: string][] = [
  ['image_upload', 'image/*'],
  ['audio_upload', 'audio/*'],
  ['video_upload', 'video/*'],
];

function choice(values: JsonValue[], options: ExactJsonObject): Widget {
  const names = values.map(String);
  const initial = options.default;
  const upload = UPLOADS.find(([option]) => options[option] === true)?.[1];
  return {
    kind: 'choice',
    initial: initial === undefined || initial === null ? (names[0] ?? '') : String(initial),
    options: names,
    ...(upload && { upload }),
  };
}

/** The socket type. A list of choices is a type. */
const socketOf = (type: JsonValue): string => (Array.isArray(type) ? printExactJson(type) : String(type));

const text = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

const integer = (value: JsonValue | undefined): number | bigint | undefined =>
  typeof value === 'bigint' ? value : typeof value === 'number' ? Math.round(value) : undefined;

const number = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
